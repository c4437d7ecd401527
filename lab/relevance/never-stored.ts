import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const neverStoredFolder = 'lab/data/never-stored';
export const neverStoredHalves = ['training', 'locked'] as const;
/** The halves measure; what is further is only fitted on; what is fresh was written after all choices, and never fitted on. */
export const neverStoredParts = [...neverStoredHalves, 'further', 'fresh'] as const;
export type NeverStoredPart = (typeof neverStoredParts)[number];

/** A question to a user about what the user never stored. */
export interface NeverStored {
  readonly user: string;
  readonly question: string;
  /** Beginnings of words that no talk has. */
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
