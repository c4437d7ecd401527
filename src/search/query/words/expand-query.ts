import { LRUCache } from 'lru-cache';
import { dateTest } from '../../../search-index/analysis/date-terms.ts';
import { freshRootOf } from '../../../search-index/analysis/word-roots.ts';
import type { IndexReader } from '../../../search-index/ports.ts';
import type { IndexView } from '../../../search-index/rows/index-view.ts';
import { postingsOf } from '../../../search-index/rows/term-postings.ts';
import type { UserIndex } from '../../../search-index/rows/user-index.ts';
import type { SearchPlan } from '../plan.ts';
import { endsLikeDate } from '../times/meant-dates.ts';
import { type LiveTerm, liveTerms, mergedTerm, noRows } from './live-terms.ts';
import type { QueryWord } from './query-words.ts';
import { rootsOfEdits1, rootsOfTwoSwaps, typoShape, typosAllowed, typosBetween } from './typos.ts';

/** A word of the query that also counts as other terms, found in the user's memories. */
export interface TermExpansion {
  /** As typed; followed by `…` if unfinished. */
  readonly typed: string;
  readonly terms: readonly string[];
}

export interface ExpandedQuery {
  readonly terms: readonly LiveTerm[];
  readonly expansions: readonly TermExpansion[];
}

/** Whether a folded lower-case word belongs to the language, independent of the user's memories. */
export type IsKnown = (word: string) => boolean;

/**
 * Weight of a completed or corrected term, relative to the term as typed.
 * An unfinished word that occurs in memories probably is complete. Chosen,
 * not fitted: no collection that we know has unfinished words or typos.
 */
const weights = { completed: 0.7, completedToo: 0.3, oneTypo: 0.8, twoTypos: 0.6 } as const;

const completionsMax = 32;
/**
 * Maximum number of words of a query to correct, and of
 * these with two typos, which scans the whole vocabulary.
 */
const typoWordsMax = 8;
const twoTypoWordsMax = 2;
const candidatesMax = 32;
const shapedMax = 5000;
/** Maximum number of terms for one word: the most frequent among equally close ones. */
const expansionsMax = 4;

/**
 * Adds terms of the user's memories to those of a query: completions of the unfinished
 * word, corrections of words with typos. A known word is not corrected even if no
 * memory has it ("contact" is not "contract"), and rather counts as complete.
 */
export async function expandQuery(
  reader: IndexReader,
  view: IndexView,
  plan: SearchPlan,
  isKnown: IsKnown,
): Promise<ExpandedQuery> {
  return new QueryExpander(reader, view, isKnown).read(plan);
}

class QueryExpander {
  readonly #reader: IndexReader;
  readonly #view: IndexView;
  readonly #isKnown: IsKnown;
  #scans = 0;

  constructor(reader: IndexReader, view: IndexView, isKnown: IsKnown) {
    this.#reader = reader;
    this.#view = view;
    this.#isKnown = isKnown;
  }

  async read({ query, terms, notDates, words, unfinished }: SearchPlan): Promise<ExpandedQuery> {
    const [found, becoming] = await Promise.all([
      this.#live(terms),
      unfinished === undefined ? [] : this.#completions(unfinished),
    ]);
    const { index } = this.#view;
    const typed = found.map((live) => (notDates.has(live.term) ? withoutDates(index, live) : live));
    // "sun" may be completed to a Sunday in a text, but is not meant as a day; in "on sun" it is.
    const meansDate = endsLikeDate(query);
    const completions = becoming
      .map((live) => (meansDate || terms.includes(live.term) ? live : withoutDates(index, live)))
      .filter(({ rows }) => rows.length > 0);
    const rowsOf = new Map(typed.map(({ term, rows }) => [term, rows]));
    const counted: LiveTerm[] = [...typed];
    const expansions: TermExpansion[] = [];
    const others = completions.filter(({ term }) => !rowsOf.has(term));
    if (unfinished !== undefined && others.length > 0) {
      const exact = words.find(({ word }) => word === unfinished);
      const rows = (exact && rowsOf.get(exact.term)) ?? noRows;
      const isComplete = rows.length > 0 || this.#isKnown(unfinished);
      counted.push(mergedTerm(others, rows, isComplete ? weights.completedToo : weights.completed));
      expansions.push({ typed: `${exact?.typed ?? unfinished}…`, terms: others.map(({ term }) => term) });
    }
    const unknown = words.filter(
      ({ term, word }) =>
        rowsOf.get(term)?.length === 0 &&
        typosAllowed(word) > 0 &&
        !this.#isKnown(word) &&
        !(word === unfinished && completions.length > 0),
    );
    for (const word of unknown.slice(0, typoWordsMax)) {
      const corrected = await this.#correctTypo(word);
      if (corrected === undefined) continue;
      counted.push(mergedTerm(corrected.terms, noRows, corrected.weight));
      expansions.push({ typed: word.typed, terms: corrected.terms.map(({ term }) => term) });
    }
    return { terms: counted, expansions };
  }

  /** Terms with their live rows, in the order given. */
  async #live(terms: readonly string[]): Promise<LiveTerm[]> {
    if (terms.length === 0) return [];
    return liveTerms(this.#view, terms, await postingsOf(this.#reader, this.#view.index, terms));
  }

  async #liveAmong(candidates: readonly string[]): Promise<LiveTerm[]> {
    return (await this.#live(candidates)).filter(({ rows }) => rows.length > 0);
  }

  /** Terms of live memories that complete the word, in order of code points. */
  async #completions(unfinished: string): Promise<LiveTerm[]> {
    const { vocabularyCache } = this.#view.index;
    return this.#liveAmong(
      vocabularyCache.completionsOf(unfinished) ?? (await this.#readCompletions(unfinished)),
    );
  }

  async #readCompletions(unfinished: string): Promise<readonly string[]> {
    const { vocabulary } = this.#reader;
    const { vocabularyCache, rev } = this.#view.index;
    const [longer, roots] = await Promise.all([
      vocabulary.beginningWith(unfinished, completionsMax),
      vocabulary.among(completedRoots(unfinished)),
    ]);
    const terms = [...new Set([...longer, ...roots])].sort();
    // Terms read while the index changed may be out of date.
    if (this.#view.index.rev === rev) vocabularyCache.addCompletions(unfinished, terms);
    return terms;
  }

  /** The closest terms of live memories, the most frequent first; undefined if none is close enough. */
  async #correctTypo({ word }: QueryWord): Promise<{ terms: LiveTerm[]; weight: number } | undefined> {
    const roots = rootsOfEdits1(word);
    const one = roots === undefined ? await this.#shaped(word, 1) : await this.#near(roots);
    if (one.length > 0) return { terms: one, weight: weights.oneTypo };
    const isCommon = roots?.length === 0;
    if (isCommon || typosAllowed(word) < 2 || this.#scans >= twoTypoWordsMax) return undefined;
    this.#scans++;
    const two = await this.#shaped(word, 2);
    return two.length > 0 ? { terms: two, weight: weights.twoTypos } : undefined;
  }

  async #near(roots: readonly string[]): Promise<LiveTerm[]> {
    const known = await this.#reader.vocabulary.among(roots);
    return this.#mostFrequent(known.sort().slice(0, candidatesMax));
  }

  async #shaped(word: string, typos: 1 | 2): Promise<LiveTerm[]> {
    const { vocabulary } = this.#reader;
    const shaped = await vocabulary.shaped(typoShape(word, typos), shapedMax);
    const swapped = typos === 2 ? await vocabulary.among(rootsOfTwoSwaps(word)) : [];
    const between = typosBetween(word, typos);
    const near = [...new Set([...swapped.sort(), ...shaped.filter((term) => between(term) <= typos)])];
    return this.#mostFrequent(near.slice(0, candidatesMax));
  }

  async #mostFrequent(candidates: readonly string[]): Promise<LiveTerm[]> {
    const live = await this.#liveAmong(candidates);
    return live
      .sort((a, b) => b.rows.length - a.rows.length || (a.term < b.term ? -1 : 1))
      .slice(0, expansionsMax);
  }
}

/**
 * A term without its rows from event dates: documents also
 * contain the words of their event date, each of them once.
 */
function withoutDates(index: UserIndex, live: LiveTerm): LiveTerm {
  const isOfDate = dateTest(live.term);
  if (isOfDate === undefined) return live;
  const { eventTime } = index.columns;
  const rows: number[] = [];
  const frequencies: number[] = [];
  let dated = 0;
  for (let i = 0; i < live.rows.length; i++) {
    const row = live.rows[i];
    const time = eventTime[row];
    const inText = live.frequencies[i] - (!Number.isNaN(time) && isOfDate(time) ? 1 : 0);
    if (inText > 0) {
      rows.push(row);
      frequencies.push(inText);
    } else if (index.isLive(row)) dated++;
  }
  return {
    ...live,
    rows: Int32Array.from(rows),
    frequencies: Uint8Array.from(frequencies),
    documentFrequency: live.documentFrequency - dated,
  };
}

/** Endings of English words that their stems lack or change. */
const endings =
  'ing ings ed er ers es s e y ies ied ly ment ments ness ation ations ional ion ions able ible ful ity ive ization izing ized ise ize ous al'.split(
    ' ',
  );
const asciiLetters = /^[a-z]+$/;
/** A typed word is searched for repeatedly; completing one stems some forty words. */
const known = new LRUCache<string, readonly string[]>({ max: 5000 });
/** Longer words are not typed in practice; the bound keeps the cache small. */
const lengthMax = 32;

/**
 * Stems of completions that do not begin with the unfinished word: `run` for `runnin`, `hope`
 * for `hopin`, `studi` for `study`. Terms that begin with it come from the vocabulary.
 */
export function completedRoots(unfinished: string): readonly string[] {
  if (unfinished.length > lengthMax || !asciiLetters.test(unfinished)) return [];
  const before = known.get(unfinished);
  if (before) return before;
  const roots = freshlyCompletedRoots(unfinished);
  known.set(unfinished, roots);
  return roots;
}

function freshlyCompletedRoots(unfinished: string): string[] {
  const roots = new Set<string>();
  for (const ending of endings) {
    for (let typed = 0; typed < ending.length; typed++) {
      if (!unfinished.endsWith(ending.slice(0, typed))) continue;
      const root = freshRootOf(unfinished + ending.slice(typed));
      if (root.length > 1 && !root.startsWith(unfinished)) roots.add(root);
    }
  }
  roots.delete(freshRootOf(unfinished));
  return [...roots];
}
