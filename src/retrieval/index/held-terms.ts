import type { IndexReader } from '../ports.ts';
import { type NearTerm, nearTermsMax } from '../terms/near-terms.ts';
import type { UserIndex } from './user-index.ts';

const bytes = nearTermsMax / 8;

/** What the answers may take beside an index. */
export const heldTermsBytesMax = 2 * bytes;

/** Whether the user's vocabulary has near terms that were asked about since the index last changed: two bits a term. */
export class HeldTerms {
  #known: Uint8Array | undefined;
  #held = new Uint8Array();

  isKnown({ number }: NearTerm): boolean {
    return this.#known !== undefined && (this.#known[number >> 3] & (1 << (number & 7))) !== 0;
  }

  has({ number }: NearTerm): boolean {
    return (this.#held[number >> 3] & (1 << (number & 7))) !== 0;
  }

  set({ number }: NearTerm, isHeld: boolean): void {
    if (this.#known === undefined) {
      this.#known = new Uint8Array(bytes);
      this.#held = new Uint8Array(bytes);
    }
    this.#known[number >> 3] |= 1 << (number & 7);
    if (isHeld) this.#held[number >> 3] |= 1 << (number & 7);
  }

  clear(): void {
    this.#known = undefined;
    this.#held = new Uint8Array();
  }
}

/** Of each list, in order, those that the user's vocabulary has, as of the index or later; `max` a list at most. */
export async function heldOf(
  reader: IndexReader,
  index: UserIndex,
  lists: readonly (readonly NearTerm[])[],
  max: number,
): Promise<NearTerm[][]> {
  const { heldTerms, rev } = index;
  const among = async (terms: readonly NearTerm[]) =>
    new Set(await reader.vocabulary.among([...new Set(terms.map(({ term }) => term))]));
  const keep = (isHeld: (term: NearTerm) => boolean) =>
    lists.map((list) => list.filter(isHeld).slice(0, max));
  const unknown = lists.flatMap((list) => list.filter((term) => !heldTerms.isKnown(term)));
  if (unknown.length > 0) {
    const found = await among(unknown);
    // What was read for an index that changed meanwhile may lack what it has now, and what was known is forgotten.
    if (index.rev !== rev) {
      const all = await among(lists.flat());
      return keep(({ term }) => all.has(term));
    }
    for (const each of unknown) heldTerms.set(each, found.has(each.term));
  }
  return keep((term) => heldTerms.has(term));
}
