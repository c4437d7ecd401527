import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const neverStoredFolder = 'bench/data/never-stored';
export const neverStoredHalves = ['training', 'locked'] as const;
export type NeverStoredHalf = (typeof neverStoredHalves)[number];

/** A question to a user about what the user never stored. */
export interface NeverStored {
  readonly user: string;
  readonly question: string;
  /** Beginnings of words that no talk has. */
  readonly subjects: readonly string[];
}

export function readNeverStored(half: NeverStoredHalf): NeverStored[] {
  const lines = readFileSync(join(neverStoredFolder, `${half}.txt`), 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  return lines.map((line) => {
    const [user, question, subjects] = line.split('|').map((part) => part.trim());
    if (!subjects) throw new Error(`${half}.txt: cannot be read: ${line}`);
    return { user, question, subjects: subjects.split(',').map((subject) => subject.trim()) };
  });
}
