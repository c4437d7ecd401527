import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const directFolder = 'lab/data/direct';
/** Halves of the direct questions; the locked half is only measured, never fitted on. */
export const directHalves = ['fit', 'locked'] as const;
export type DirectHalf = (typeof directHalves)[number];

/** A question to a user of the talks in the words of an agent at work. */
export interface DirectQuestion {
  readonly user: string;
  readonly question: string;
  /** All turns about the subject; empty if it was never stored. */
  readonly evidence: readonly string[];
}

export function readDirectQuestions(half: DirectHalf): DirectQuestion[] {
  const lines = readFileSync(join(directFolder, `${half}.txt`), 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  return lines.map((line) => {
    const [user, question, turns] = line.split('|').map((part) => part.trim());
    if (turns === undefined) throw new Error(`${half}.txt: cannot be read: ${line}`);
    return { user, question, evidence: turns === '' ? [] : turns.split(',').map((turn) => turn.trim()) };
  });
}
