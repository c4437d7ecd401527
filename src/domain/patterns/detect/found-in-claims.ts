import { jaccard } from '../../../lib/collections.ts';
import { Breather } from '../../../lib/loop-time.ts';
import type { EpochMs } from '../../shared/time.ts';
import { patternLengthMax } from '../pattern.ts';
import { type Claim, confidenceOf, type FoundPattern, topicOfMost } from './found-pattern.ts';
import { wordsOf } from './words.ts';

/** Patterns that memories state: preferences, rules, corrections, habits and tools. */
export async function foundInClaims(claims: readonly Claim[], newest: EpochMs): Promise<FoundPattern[]> {
  const breather = new Breather();
  const groups = await groupClaims(claims.toSorted((a, b) => a.source.at - b.source.at));
  const against = await Contradictions.among(groups);
  const found: FoundPattern[] = [];
  for (const group of groups) {
    const shown = group.claims.filter(({ source }) => !source.isPast);
    if (shown.length > 0) found.push(toFound(group, shown, { against, newest }));
    const pause = breather.pause();
    if (pause) await pause;
  }
  return found;
}

function toFound(
  group: ClaimGroup,
  shown: readonly Claim[],
  { against, newest }: { readonly against: Contradictions; readonly newest: EpochMs },
): FoundPattern {
  const past = group.claims.length - shown.length;
  const bySource = new Map(shown.map((claim) => [claim.source.id, claim]));
  const [first] = shown;
  const occurrences = [...bySource.values()].map(({ source, isHedged }) => ({ ...source, isHedged }));
  const contradictions = past + against.of(first);
  return {
    key: claimKey(group.claims[0]),
    type: first.type,
    owner: first.owner,
    target: first.target,
    against: shown.find(({ against }) => against !== null)?.against ?? null,
    isNegated: first.isNegated,
    name: first.name.slice(0, patternLengthMax.name),
    description: described(first),
    context: topicOfMost(shown.map(({ source }) => source)),
    confidence: confidenceOf(first.type, occurrences, { contradictions, newest }),
    wordedBy: first.source.id,
    evidence: occurrences.map(({ id, at }) => ({ memoryId: id, at })),
  };
}

const described = ({ owner, sentence }: Claim) =>
  (owner === 'user' ? sentence : `${owner}: ${sentence}`).slice(0, patternLengthMax.description);

/** Claims of the same content, by time; the first names the pattern. */
interface ClaimGroup {
  readonly claims: Claim[];
}

/** Two claims of one owner with this share of common words are the same. */
export const alikeMin = 0.5;
/** A claim is compared with the latest groups of each of its words, at most this many. */
const comparedMax = 50;

/**
 * Groups claims of one type, owner and direction that share half of
 * their words. Each claim joins the most similar group, or begins one.
 * @param claims by time
 */
async function groupClaims(claims: readonly Claim[]): Promise<ClaimGroup[]> {
  const breather = new Breather();
  const groups: ClaimGroup[] = [];
  const byWord = new Map<string, ClaimGroup[]>();
  for (const claim of claims) {
    const pause = breather.pause();
    if (pause) await pause;
    const near = [...claim.words].flatMap(
      (word) => byWord.get(wordKey(claim, word))?.slice(-comparedMax) ?? [],
    );
    let best: ClaimGroup | undefined;
    let bestLikeness = 0;
    for (const group of new Set(near)) {
      const likeness = jaccard(claim.words, group.claims[0].words);
      if (likeness >= alikeMin && likeness > bestLikeness) [best, bestLikeness] = [group, likeness];
    }
    if (best) {
      best.claims.push(claim);
      continue;
    }
    const group = { claims: [claim] };
    groups.push(group);
    for (const word of claim.words) {
      const key = wordKey(claim, word);
      const known = byWord.get(key);
      if (known) known.push(group);
      else byWord.set(key, [group]);
    }
  }
  return groups;
}

const wordKey = ({ type, owner, isNegated }: Claim, word: string) =>
  `${type} ${owner.toLowerCase()} ${isNegated} ${word}`;

/** Identifies the same pattern in later detections. */
const claimKey = ({ type, owner, isNegated, words }: Claim): string =>
  `${type}|${owner.toLowerCase()}|${isNegated ? 'not' : ''}|${[...words].sort().join(' ')}`.slice(0, 400);

/** Two targets with this share of common words are the same. */
const sameMin = 0.5;
/** As `comparedMax`, for opposite claims. */
const opposedMax = 100;

interface Said {
  readonly group: ClaimGroup;
  readonly words: ReadonlySet<string>;
  /** Claims of memories that are not past. */
  readonly live: number;
}

/** Counts an owner's claims that contradict another claim, or prefer something else to its target. */
class Contradictions {
  /** By owner, direction and word. */
  readonly #saying = new Map<string, Said[]>();
  readonly #puttingAway = new Map<string, Said[]>();
  /** Number of claims by word. */
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

  /** Claims against this one, of memories that are not past. */
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
      for (const one of among.get(`${owner} ${isNegated} ${word}`)?.slice(-opposedMax) ?? []) near.add(one);
    return [...near].filter((one) => jaccard(one.words, words) >= sameMin);
  }

  /** If two sets share half of their words, their rarest halves share at least one word. */
  #rarest(words: ReadonlySet<string>): string[] {
    const inOrder = [...words].sort(
      (a, b) => (this.#counts.get(a) ?? 0) - (this.#counts.get(b) ?? 0) || (a < b ? -1 : 1),
    );
    return inOrder.slice(0, words.size - Math.ceil(words.size * sameMin) + 1);
  }
}
