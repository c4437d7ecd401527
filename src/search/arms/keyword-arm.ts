import type { RowTest } from '../../search-index/columns/row-set.ts';
import type { UserIndex } from '../../search-index/rows/user-index.ts';
import type { LiveTerm } from '../query/words/live-terms.ts';
import { inverseDocumentFrequency, lengthNorm, termWeight } from '../scores/bm25.ts';
import { conversationScores } from '../scores/conversation-scores.ts';
import { ranksAmong } from '../scores/order.ts';
import type { Arm, ArmContext } from './arm.ts';
import {
  bestOf,
  type Evidence,
  type FoundSignal,
  type Reached,
  type Scale,
  type SignalSpec,
} from './signal.ts';

/** BM25 of the query's terms. */
export const words: SignalSpec = {
  name: 'words',
  group: 'fulltext',
  contextGroup: 'conversation',
  via: 'fulltext',
  parts: {
    self: 'its own words',
    before: 'the memory before it',
    after: 'the memory after it',
    twoBefore: 'the memory two before it',
    twoAfter: 'the memory two after it',
    questionBefore: 'the question before it',
    answerAfter: 'the answer after it',
    conversation: 'the conversation as a whole',
  },
};

export const keywordArm: Arm = {
  name: 'keyword',
  signals: [words],
  isAsked: () => true,
  run: (context) => [scoreTerms(context)],
};

/** Weight of a term: its rarity among the user's live memories. */
export function idfOf({ documents }: UserIndex, { weight, documentFrequency }: LiveTerm): number {
  return weight * inverseDocumentFrequency(documents, documentFrequency);
}

/** BM25 over the user's own statistics. Rows outside the filter are scored too: they count as neighbours. */
function scoreTerms({ view, terms, passes, plan }: ArmContext): FoundSignal {
  const { index, size, arrays } = view;
  const scores = arrays.numbers(size + 1);
  const average = index.documentTerms / Math.max(index.documents, 1);
  const { termCount } = index.columns;
  const postings = terms.reduce((sum, term) => sum + term.rows.length, 0);
  const found = arrays.rows(Math.min(postings, size));
  let count = 0;
  const weighed = terms.map((live) => {
    const idf = idfOf(index, live);
    for (let i = 0; i < live.rows.length; i++) {
      const row = live.rows[i];
      if (scores[row] === 0) found[count++] = row;
      scores[row] += idf * termWeight(live.frequencies[i], lengthNorm(termCount[row], average));
    }
    return { term: live.term, idf, rows: live.rows };
  });
  const rows = found.subarray(0, count);
  const typed = new Set(plan.terms);
  const allWords = weighed.reduce((sum, { term, idf }) => (typed.has(term) ? sum + idf : sum), 0);
  return {
    spec: words,
    rows,
    scores,
    bringsNeighbours: true,
    scale: (reached) => scaleOf(scores, allWords, reached),
    conversationScores: () => conversationScores(index, weighed),
    measureOf: (row) => (scores[row] > 0 ? scores[row] : null),
    explain: (page) => explainWords(page, { rows, passes, scores }),
  };
}

/**
 * If even the best match has few of the query's words, words count less against other signals.
 * With 0, the best match would always get 1; with 1, the share of the query that it contains.
 */
const coveragePower = 0.6;

/**
 * The best BM25 counts as 1; joined with other signals it
 * counts less if the best match lacks much of the query.
 * @param allWords about the BM25 of a memory with every
 * word of the query; an unknown word counts as the rarest
 */
function scaleOf(scores: Float64Array, allWords: number, { rows, isJoined }: Reached): Scale {
  const best = bestOf(rows, scores) || scores.reduce((most, score) => Math.max(most, score), 0);
  const isLess = isJoined && best !== 0;
  const unit = isLess ? Math.max(best, best ** (1 - coveragePower) * allWords ** coveragePower) : best;
  const perWeight = 1 / (unit || 1);
  return { perWeight, perScore: 1, best: best * perWeight || 1, unit };
}

interface WordScores {
  readonly rows: Int32Array;
  readonly passes: RowTest;
  readonly scores: Float64Array;
}

function explainWords(
  page: readonly number[],
  { rows, passes, scores }: WordScores,
): (Evidence | undefined)[] {
  const own = page.map((row) => scores[row]);
  const ranks = ranksAmong(own, rows, scores, passes);
  return page.map((row, i) => (scores[row] > 0 ? { rank: ranks[i], reasonRank: 1, describe } : undefined));
}

/** Names no words: only the beginning of a long text is searched for them. */
function describe() {
  return { reason: 'Holds a word of the query.', notes: [] };
}
