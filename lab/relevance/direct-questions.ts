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
  return readQuestions(directFolder, half).map(({ user, question, list }) => ({
    user,
    question,
    evidence: list,
  }));
}

interface QuestionLine {
  readonly user: string;
  readonly question: string;
  readonly list: readonly string[];
}

/** Lines of `user | question | item, item`; the list may be empty. @throws if a line is of another form */
export function readQuestions(folder: string, part: string): QuestionLine[] {
  const lines = readFileSync(join(folder, `${part}.txt`), 'utf8').split('\n');
  return lines
    .filter((line) => line !== '')
    .map((line) => {
      const [user, question, items] = line.split('|').map((field) => field.trim());
      if (items === undefined) throw new Error(`${part}.txt: cannot be read: ${line}`);
      return { user, question, list: items === '' ? [] : items.split(',').map((item) => item.trim()) };
    });
}
