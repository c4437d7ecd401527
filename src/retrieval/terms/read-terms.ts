import { type LiveTerm, liveTerms, mergedTerm, noRows } from '../arms/live-terms.ts';
import { withoutDates } from '../arms/without-dates.ts';
import type { Moment } from '../index/moment.ts';
import { postingsOf } from '../index/term-postings.ts';
import type { SearchPlan } from '../plan.ts';
import type { IndexReader } from '../ports.ts';
import { endsLikeDate } from '../time/meant-dates.ts';
import { completedRoots } from './completions.ts';
import type { QueryWord } from './query-words.ts';
import { rootsOfTwoSwaps, rootsOneSlipAway, slipShape, slipsAllowed, slipsBetween } from './slips.ts';

/** A word of the query that counts as other terms, which memories of the user hold. */
export interface Reading {
  /** As typed; `…` behind it where it was unfinished. */
  readonly typed: string;
  readonly terms: readonly string[];
}

export interface ReadTerms {
  readonly terms: readonly LiveTerm[];
  readonly readings: readonly Reading[];
}

/** Whether a folded word in lower case is one of the language, whatever the user's memories hold. */
export type IsKnown = (word: string) => boolean;

/**
 * What a word read otherwise weighs beside one read as typed. An unfinished word that memories hold as it is
 * probably is complete. Chosen, not fitted: no collection that we know has unfinished words or slips.
 */
const weights = { completed: 0.7, completedToo: 0.3, oneSlip: 0.8, twoSlips: 0.6 } as const;

const completionsMax = 32;
/** Words looked at for slips in one query, and of these for two: that reads the whole vocabulary. */
const slipWordsMax = 8;
const twoSlipWordsMax = 2;
const candidatesMax = 32;
const shapedMax = 5000;
/** Of the terms as near as each other, the most frequent. */
const readingsMax = 4;

/**
 * The terms of a query as the user's own memories hold them: unfinished words completed, words with slips mended. A
 * word that is known is no slip of another, though nobody wrote it ("contact" is not "contract"), and rather complete.
 */
export async function readTerms(
  reader: IndexReader,
  moment: Moment,
  plan: SearchPlan,
  isKnown: IsKnown,
): Promise<ReadTerms> {
  return new TermReader(reader, moment, isKnown).read(plan);
}

class TermReader {
  readonly #reader: IndexReader;
  readonly #moment: Moment;
  readonly #isKnown: IsKnown;
  #scans = 0;

  constructor(reader: IndexReader, moment: Moment, isKnown: IsKnown) {
    this.#reader = reader;
    this.#moment = moment;
    this.#isKnown = isKnown;
  }

  async read({ query, terms, notDates, words, unfinished }: SearchPlan): Promise<ReadTerms> {
    const [found, becoming] = await Promise.all([
      this.#live(terms),
      unfinished === undefined ? [] : this.#completions(unfinished),
    ]);
    const { index } = this.#moment;
    const typed = found.map((live) => (notDates.has(live.term) ? withoutDates(index, live) : live));
    // "sun" may become a Sunday of a text, but says nothing of a day; "on sun" does.
    const meansDate = endsLikeDate(query);
    const completions = becoming
      .map((live) => (meansDate || terms.includes(live.term) ? live : withoutDates(index, live)))
      .filter(({ rows }) => rows.length > 0);
    const rowsOf = new Map(typed.map(({ term, rows }) => [term, rows]));
    const counted: LiveTerm[] = [...typed];
    const readings: Reading[] = [];
    const others = completions.filter(({ term }) => !rowsOf.has(term));
    if (unfinished !== undefined && others.length > 0) {
      const exact = words.find(({ word }) => word === unfinished);
      const rows = (exact && rowsOf.get(exact.term)) ?? noRows;
      const isComplete = rows.length > 0 || this.#isKnown(unfinished);
      counted.push(mergedTerm(others, rows, isComplete ? weights.completedToo : weights.completed));
      readings.push({ typed: `${exact?.typed ?? unfinished}…`, terms: others.map(({ term }) => term) });
    }
    const unknown = words.filter(
      ({ term, word }) =>
        rowsOf.get(term)?.length === 0 &&
        slipsAllowed(word) > 0 &&
        !this.#isKnown(word) &&
        !(word === unfinished && completions.length > 0),
    );
    for (const word of unknown.slice(0, slipWordsMax)) {
      const mended = await this.#mend(word);
      if (mended === undefined) continue;
      counted.push(mergedTerm(mended.terms, noRows, mended.weight));
      readings.push({ typed: word.typed, terms: mended.terms.map(({ term }) => term) });
    }
    return { terms: counted, readings };
  }

  /** Terms with their live rows, in the order given. */
  async #live(terms: readonly string[]): Promise<LiveTerm[]> {
    if (terms.length === 0) return [];
    return liveTerms(this.#moment, terms, await postingsOf(this.#reader, this.#moment.index, terms));
  }

  async #liveAmong(candidates: readonly string[]): Promise<LiveTerm[]> {
    return (await this.#live(candidates)).filter(({ rows }) => rows.length > 0);
  }

  /** The terms that the word may become and live memories hold, in order of code points. */
  async #completions(unfinished: string): Promise<LiveTerm[]> {
    const { heldTerms } = this.#moment.index;
    return this.#liveAmong(heldTerms.completionsOf(unfinished) ?? (await this.#readCompletions(unfinished)));
  }

  async #readCompletions(unfinished: string): Promise<readonly string[]> {
    const { vocabulary } = this.#reader;
    const { heldTerms, rev } = this.#moment.index;
    const [longer, roots] = await Promise.all([
      vocabulary.beginningWith(unfinished, completionsMax),
      vocabulary.among(completedRoots(unfinished)),
    ]);
    const terms = [...new Set([...longer, ...roots])].sort();
    // What was read for an index that changed meanwhile may lack what it has now.
    if (this.#moment.index.rev === rev) heldTerms.addCompletions(unfinished, terms);
    return terms;
  }

  /** The nearest terms that live memories hold, the most frequent first; undefined where none is near enough. */
  async #mend({ word }: QueryWord): Promise<{ terms: LiveTerm[]; weight: number } | undefined> {
    const roots = rootsOneSlipAway(word);
    const one = roots === undefined ? await this.#shaped(word, 1) : await this.#near(roots);
    if (one.length > 0) return { terms: one, weight: weights.oneSlip };
    const isCommon = roots?.length === 0;
    if (isCommon || slipsAllowed(word) < 2 || this.#scans >= twoSlipWordsMax) return undefined;
    this.#scans++;
    const two = await this.#shaped(word, 2);
    return two.length > 0 ? { terms: two, weight: weights.twoSlips } : undefined;
  }

  async #near(roots: readonly string[]): Promise<LiveTerm[]> {
    const known = await this.#reader.vocabulary.among(roots);
    return this.#mostFrequent(known.sort().slice(0, candidatesMax));
  }

  async #shaped(word: string, slips: 1 | 2): Promise<LiveTerm[]> {
    const { vocabulary } = this.#reader;
    const shaped = await vocabulary.shaped(slipShape(word, slips), shapedMax);
    const swapped = slips === 2 ? await vocabulary.among(rootsOfTwoSwaps(word)) : [];
    const between = slipsBetween(word, slips);
    const near = [...new Set([...swapped.sort(), ...shaped.filter((term) => between(term) <= slips)])];
    return this.#mostFrequent(near.slice(0, candidatesMax));
  }

  async #mostFrequent(candidates: readonly string[]): Promise<LiveTerm[]> {
    const live = await this.#liveAmong(candidates);
    return live
      .sort((a, b) => b.rows.length - a.rows.length || (a.term < b.term ? -1 : 1))
      .slice(0, readingsMax);
  }
}
