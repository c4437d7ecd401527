import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const neverStoredFolder = 'lab/data/never-stored';
export const neverStoredHalves = ['training', 'locked'] as const;
/**
 * Parts of the questions: halves to measure; `further`, only fitted
 * on; `fresh`, written after all choices, never fitted on.
 */
export const neverStoredParts = [...neverStoredHalves, 'further', 'fresh'] as const;
export type NeverStoredPart = (typeof neverStoredParts)[number];

/** A question to a user about something that the user never stored. */
export interface NeverStored {
  readonly user: string;
  readonly question: string;
  /** Prefixes of words that are in no talk. */
  readonly subjects: readonly string[];
}

export function readNeverStored(part: NeverStoredPart): NeverStored[] {
  const lines = readFileSync(join(neverStoredFolder, `${part}.txt`), 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  return lines.map((line) => {
    const [user, question, subjects] = line.split('|').map((part) => part.trim());
    if (!subjects) throw new Error(`${part}.txt: cannot be read: ${line}`);
    return { user, question, subjects: subjects.split(',').map((subject) => subject.trim()) };
  });
}
