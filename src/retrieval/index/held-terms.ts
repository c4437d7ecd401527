import type { IndexReader } from '../ports.ts';
import type { UserIndex } from './user-index.ts';

/** About 60 bytes each. */
const answersMax = 2000;
const bytesPerAnswer = 60;

/** What the answers may take beside an index. */
export const heldTermsBytesMax = answersMax * bytesPerAnswer;

/** Whether the user's vocabulary has terms that were asked about since the index last changed. */
export class HeldTerms {
  readonly #answers = new Map<string, boolean>();

  get(term: string): boolean | undefined {
    return this.#answers.get(term);
  }

  set(term: string, isHeld: boolean): void {
    if (this.#answers.size >= answersMax) this.#answers.clear();
    this.#answers.set(term, isHeld);
  }

  clear(): void {
    this.#answers.clear();
  }
}

/** Those of the terms that the user's vocabulary has, as of the index or later. */
export async function heldAmong(
  reader: IndexReader,
  index: UserIndex,
  terms: readonly string[],
): Promise<Set<string>> {
  const { heldTerms, rev } = index;
  const held = new Set<string>();
  const unknown: string[] = [];
  for (const term of terms) {
    const answer = heldTerms.get(term);
    if (answer === undefined) unknown.push(term);
    else if (answer) held.add(term);
  }
  if (unknown.length === 0) return held;
  const found = new Set(await reader.vocabulary.among(unknown));
  for (const term of unknown) {
    if (found.has(term)) held.add(term);
    // What was read for an index that changed meanwhile may lack what it has now.
    if (index.rev === rev) heldTerms.set(term, found.has(term));
  }
  return held;
}
