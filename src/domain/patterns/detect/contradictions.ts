import { Breather } from '../../../lib/breather.ts';
import { jaccard } from '../../../lib/jaccard.ts';
import type { ClaimGroup } from './group-claims.ts';
import type { Claim } from './source.ts';
import { wordsOf } from './words.ts';

/** As alike as this, words name the same thing. */
const sameMin = 0.5;
/** Groups that a claim is compared with, for each of its words: those of the last claims. */
const comparedMax = 100;

interface Said {
  readonly group: ClaimGroup;
  readonly words: ReadonlySet<string>;
  /** Claims of memories that hold. */
  readonly live: number;
}

/** Claims of the same owner that say the opposite of another, or put its target away for something else. */
export class Contradictions {
  /** By owner, direction and word. */
  readonly #saying = new Map<string, Said[]>();
  readonly #puttingAway = new Map<string, Said[]>();
  /** Claims that have a word. */
  readonly #counts = new Map<string, number>();

  static async among(groups: readonly ClaimGroup[]): Promise<Contradictions> {
    const all = new Contradictions();
    const breather = new Breather();
    const said: { readonly what: Said; readonly away: Said | undefined }[] = [];
    for (const group of groups) {
      const [{ words, against }] = group.claims;
      const live = group.claims.filter(({ source }) => !source.isPast).length;
      const away = against === null ? undefined : { group, words: wordsOf(against), live };
      for (const word of [...words, ...(away?.words ?? [])])
        all.#counts.set(word, (all.#counts.get(word) ?? 0) + 1);
      said.push({ what: { group, words, live }, away });
      const pause = breather.pause();
      if (pause) await pause;
    }
    for (const { what, away } of said) {
      all.#add(all.#saying, what, what.group.claims[0].isNegated);
      if (away) all.#add(all.#puttingAway, away, false);
      const pause = breather.pause();
      if (pause) await pause;
    }
    return all;
  }

  /** How many there are, those of memories that hold. */
  of(claim: Claim): number {
    const opposite = this.#like(this.#saying, claim, !claim.isNegated);
    const putAway = claim.isNegated ? [] : this.#like(this.#puttingAway, claim, false);
    let count = 0;
    for (const { group, live } of new Map([...opposite, ...putAway].map((one) => [one.group, one])).values())
      if (group.claims[0] !== claim) count += live;
    return count;
  }

  #add(to: Map<string, Said[]>, one: Said, isNegated: boolean): void {
    const [{ owner }] = one.group.claims;
    for (const word of this.#rarest(one.words)) {
      const key = `${owner} ${isNegated} ${word}`;
      const known = to.get(key);
      if (known) known.push(one);
      else to.set(key, [one]);
    }
  }

  #like(among: ReadonlyMap<string, readonly Said[]>, { owner, words }: Claim, isNegated: boolean): Said[] {
    const near = new Set<Said>();
    for (const word of this.#rarest(words))
      for (const one of among.get(`${owner} ${isNegated} ${word}`)?.slice(-comparedMax) ?? []) near.add(one);
    return [...near].filter((one) => jaccard(one.words, words) >= sameMin);
  }

  /** Of two sets of which half is common, the rarest half of one and that of the other have a word in common. */
  #rarest(words: ReadonlySet<string>): string[] {
    const inOrder = [...words].sort(
      (a, b) => (this.#counts.get(a) ?? 0) - (this.#counts.get(b) ?? 0) || (a < b ? -1 : 1),
    );
    return inOrder.slice(0, words.size - Math.ceil(words.size * sameMin) + 1);
  }
}
