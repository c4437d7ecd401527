import { readQuestions } from './direct-questions.ts';

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
  return readQuestions(neverStoredFolder, part).map(({ user, question, list }) => {
    if (list.length === 0) throw new Error(`${part}.txt: no subject: ${question}`);
    return { user, question, subjects: list };
  });
}
