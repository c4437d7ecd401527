import type { Synonyms } from '../../domain/embedding/similarity.ts';
import type { AnalyzeQuery } from '../../search-index/ports.ts';
import { SynonymTerms } from '../../search-index/postings/synonym-terms.ts';
import { inVocabulary } from '../../search-index/postings/vocabulary-cache.ts';
import type { IndexView } from '../../search-index/rows/index-view.ts';
import { rowsContaining } from '../../search-index/rows/term-postings.ts';
import type { LiveTerm } from '../query/words/live-terms.ts';
import { liveTerms, noRows } from '../query/words/live-terms.ts';
import { inverseDocumentFrequency } from '../scores/bm25.ts';
import { includesRow } from '../scores/order.ts';
import type { Arm, ArmContext } from './arm.ts';
import { words } from './keyword-arm.ts';
import {
  bestOf,
  type Evidence,
  type FoundSignal,
  type Reached,
  type Scale,
  type SignalSpec,
} from './signal.ts';

/** Synonyms from the table of the bundled model. */
export const synonyms: SignalSpec = {
  name: 'synonyms',
  group: 'vector',
  via: 'near-words',
  lacks: 'It has no word of near meaning to one of the query.',
  parts: {
    self: 'words of near meaning',
    before: 'words of near meaning before it',
    after: 'words of near meaning after it',
  },
};

/** Maximum synonyms of a query word: the nearest that the user's memories contain. */
const synonymsMax = 8;
const wordsMax = 32;
const closenessMin = 0.3;

export interface SynonymArmDeps {
  readonly synonyms: Synonyms;
  readonly analyzeQuery: AnalyzeQuery;
}

/** Finds memories by synonyms of the query's words. */
export function synonymArm(deps: SynonymArmDeps): Arm {
  const synonymTerms = new SynonymTerms(deps.synonyms, deps.analyzeQuery);
  return {
    name: 'synonyms',
    signals: [synonyms],
    isAsked: ({ method }) => method === 'hybrid',
    run: async (context) => [await scoreSynonyms(context, synonymTerms)],
  };
}

/** A word of the query that also counts through its synonyms. */
interface ExpandedWord {
  readonly word: string;
  /** Synonyms in memories, nearest first, with the rows that contain them, ascending. */
  readonly synonyms: readonly { readonly word: string; readonly rows: Int32Array }[];
  /** Rows that contain the word itself, ascending: synonyms add nothing to them. */
  readonly own: Int32Array;
}

/**
 * Each word of the query counts up to 8 synonyms of the user's own vocabulary:
 * (closeness - 0.3) / 0.7 times the smaller idf of the two, for the best synonym
 * that a memory contains. A memory with the word itself gains nothing for it.
 */
async function scoreSynonyms(context: ArmContext, synonymTerms: SynonymTerms): Promise<FoundSignal> {
  const { index } = context.view;
  const sums = new RowSums(context.view);
  const expanded: ExpandedWord[] = [];
  for (const { word, own, synonyms } of await synonymsInVocabulary(context, synonymTerms)) {
    const idf = inverseDocumentFrequency(index.documents, own?.documentFrequency ?? 0);
    for (const { live, closeness } of synonyms) {
      const weight =
        ((closeness - closenessMin) / (1 - closenessMin)) *
        Math.min(idf, inverseDocumentFrequency(index.documents, live.documentFrequency));
      sums.offer(live.rows, weight);
    }
    const rows = own?.rows ?? noRows;
    sums.addBest(rows);
    expanded.push({
      word,
      synonyms: synonyms.map((each) => ({ word: each.word, rows: each.live.rows })),
      own: rows,
    });
  }
  const { scores, rows } = sums;
  return {
    spec: synonyms,
    rows,
    scores,
    scale: (reached) => scaleOf(rows, scores, reached),
    measureOf: (row) => (scores[row] > 0 ? scores[row] : null),
    explain: (page) => page.map((row) => (scores[row] === 0 ? undefined : explainSynonyms(row, expanded))),
  };
}

/** Scaled like the words, if they found anything. */
function scaleOf(rows: Int32Array, scores: Float64Array, { unitOf }: Reached): Scale {
  const unit = unitOf(words.name) || bestOf(rows, scores);
  return { perWeight: 1, perScore: 1 / (unit || 1), best: 1, unit };
}

function explainSynonyms(row: number, expanded: readonly ExpandedWord[]): Evidence | undefined {
  const pairs = expanded.flatMap(({ word, synonyms, own }) => {
    if (includesRow(own, row)) return [];
    const best = synonyms.find(({ rows }) => includesRow(rows, row));
    return best ? [`${word} ~ ${best.word}`] : [];
  });
  if (pairs.length === 0) return undefined;
  const listed = pairs.join(', ');
  return {
    rank: null,
    reasonRank: 2,
    describe: () => ({
      reason: `Holds words of near meaning: ${listed}.`,
      notes: [`near words: ${listed}`],
    }),
  };
}

/**
 * Sums by row of the best weight of each word. Loops over local arrays: over members they took twice as long.
 */
class RowSums {
  readonly scores: Float64Array;
  /** Best weight of the current word by row, and the rows that have one. */
  readonly #best: Float64Array;
  readonly #offered: Int32Array;
  #offers = 0;
  readonly #found: Int32Array;
  #size = 0;

  constructor({ size, arrays }: IndexView) {
    // One place more than rows: "no neighbour".
    this.scores = arrays.numbers(size + 1);
    this.#best = arrays.numbers(size);
    this.#offered = arrays.rows(size);
    this.#found = arrays.rows(size);
  }

  /** Rows, each once. */
  get rows(): Int32Array {
    return this.#found.subarray(0, this.#size);
  }

  offer(rows: Int32Array, weight: number): void {
    if (weight <= 0) return;
    const best = this.#best;
    const offered = this.#offered;
    let offers = this.#offers;
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i];
      const before = best[row];
      if (before === 0) offered[offers++] = row;
      if (weight > before) best[row] = weight;
    }
    this.#offers = offers;
  }

  /** Adds the best weights of the word to all rows except those that contain the word itself. */
  addBest(own: Int32Array): void {
    const { scores } = this;
    const best = this.#best;
    const offered = this.#offered;
    const found = this.#found;
    let size = this.#size;
    for (let i = 0; i < own.length; i++) best[own[i]] = 0;
    for (let i = 0; i < this.#offers; i++) {
      const row = offered[i];
      const given = best[row];
      if (given === 0) continue;
      if (scores[row] === 0) found[size++] = row;
      scores[row] += given;
      best[row] = 0;
    }
    this.#offers = 0;
    this.#size = size;
  }
}

interface WordWithSynonyms {
  readonly word: string;
  readonly own: LiveTerm | undefined;
  /** Nearest first. */
  readonly synonyms: readonly {
    readonly word: string;
    readonly live: LiveTerm;
    readonly closeness: number;
  }[];
}

/** The words with synonyms in the user's vocabulary, and these synonyms; two reads for all words. */
async function synonymsInVocabulary(
  { reader, view, plan, terms: typed }: ArmContext,
  synonymTerms: SynonymTerms,
): Promise<WordWithSynonyms[]> {
  const typedByTerm = new Map(typed.map((live) => [live.term, live]));
  const asked = plan.words.slice(0, wordsMax);
  const offered = asked.map(({ word }) => synonymTerms.of(word));
  const known = await inVocabulary(
    reader,
    view.index,
    offered.map(({ terms }) => terms),
  );
  const kept = offered.map(({ terms, closeness }, i) => {
    const found: { word: string; term: string; closeness: number }[] = [];
    for (let t = 0; t < terms.length && found.length < synonymsMax; t++) {
      const { word, term } = terms[t];
      if (known[i][t] === 1 && !typedByTerm.has(term)) found.push({ word, term, closeness: closeness[t] });
    }
    return found;
  });
  const terms = [...new Set(kept.flatMap((list) => list.map(({ term }) => term)))];
  if (terms.length === 0) return [];
  const live = liveTerms(view, terms, await rowsContaining(reader, view.index, terms));
  const liveOf = new Map(live.map((each) => [each.term, each]));
  return asked
    .map(({ term, word }, i) => ({
      word,
      own: typedByTerm.get(term),
      synonyms: kept[i].flatMap(({ word, term, closeness }) => {
        const found = liveOf.get(term);
        return found ? [{ word, live: found, closeness }] : [];
      }),
    }))
    .filter(({ synonyms }) => synonyms.length > 0);
}
