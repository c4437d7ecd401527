import type { IndexView } from '../../../search-index/rows/index-view.ts';
import { idfOf } from '../../arms/keyword-arm.ts';
import type { FoundPassages } from '../../passages/find-passages.ts';
import type { LiveTerm } from '../../query/words/live-terms.ts';
import { bm25Parameters, lengthNorm } from '../../scores/bm25.ts';
import { includesRow } from '../../scores/order.ts';
import type { KnownWords } from '../fuse/fuse.ts';
import type { Candidate } from './candidates.ts';

/** Shares of the query's idf that a memory's terms cover; a word that no memory has counts as the rarest. */
export interface Coverage {
  readonly own: number;
  readonly withBefore: number;
  /** Including the two memories before and the two after. */
  readonly around: number;
  /** BM25 without the names of speakers, each word once. */
  readonly ownWithoutNames: number;
}

/** Query data to compare the terms of memories with. */
export interface QueryTerms {
  readonly view: IndexView;
  readonly terms: readonly LiveTerm[];
  readonly idfs: readonly number[];
  /** Sum of the idf of the terms as typed. */
  readonly mass: number;
  readonly nameTerms: ReadonlySet<string>;
  readonly averageLength: number;
  /** Of a long text, its best passage alone counts. */
  readonly passages: FoundPassages;
}

interface QueryRead extends Pick<QueryTerms, 'view' | 'terms' | 'nameTerms' | 'passages'> {
  /** Terms as typed. */
  readonly typed: readonly string[];
}

export function queryTermsOf({ view, typed, terms, nameTerms, passages }: QueryRead): QueryTerms {
  const { index } = view;
  const idfs = terms.map((term) => idfOf(index, term));
  const asTyped = new Set(typed);
  const mass = terms.reduce((sum, { term }, t) => (asTyped.has(term) ? sum + idfs[t] : sum), 0);
  const averageLength = index.documentTerms / Math.max(index.documents, 1);
  return { view, terms, idfs, mass, nameTerms, averageLength, passages };
}

export function coverageOf(
  query: QueryTerms,
  { row, before, after, twoBefore, twoAfter }: Candidate,
): Coverage {
  const { view, terms, idfs, mass, nameTerms, averageLength, passages } = query;
  const coverage = { own: 0, withBefore: 0, around: 0, ownWithoutNames: 0 };
  if (mass === 0) return coverage;
  const passage = passages.of(row);
  const among = passage && passages.idfs;
  const norm = lengthNorm(passage?.termCount ?? view.index.columns.termCount[row], averageLength);
  const once = (1 + bm25Parameters.k1) / (1 + norm);
  for (let t = 0; t < terms.length; t++) {
    const { rows, term } = terms[t];
    if (rows.length === 0) continue;
    const share = (among?.[t] ?? idfs[t]) / mass;
    const has = (other: number) => passages.of(other)?.has(t) ?? includesRow(rows, other);
    const isOwn = has(row);
    const isBefore = isOwn || has(before);
    if (isOwn) coverage.own += share;
    if (isOwn && !nameTerms.has(term)) coverage.ownWithoutNames += share * once;
    if (isBefore) coverage.withBefore += share;
    if (isBefore || has(after) || has(twoBefore) || has(twoAfter)) coverage.around += share;
  }
  coverage.own = Math.min(1, coverage.own);
  coverage.withBefore = Math.min(1, coverage.withBefore);
  coverage.around = Math.min(1, coverage.around);
  return coverage;
}

export interface QueryPieces {
  /** Word pieces in order; a piece that continues a word begins with `##`. */
  readonly pieces: readonly string[];
  /** Length of the vector of each piece: its informativeness. */
  readonly lengths: ArrayLike<number>;
  /** Highest cosine of each piece to a piece of any candidate. */
  readonly nearest: ArrayLike<number>;
}

/** Result for a query without words to compare. */
export const nothingKnown: KnownWords = { rarest: 0, missing: 0 };

interface Word {
  text: string;
  /** Sum over its pieces. */
  says: number;
  known: number;
  most: number;
}

const rarestCount = 2;

/**
 * @param isName whether a word is part of a speaker's name; names
 * precede every memory and count only in a query of names alone
 */
export function knownWordsOf(query: QueryPieces, isName: (word: string) => boolean): KnownWords {
  const all = wordsOf(query);
  const others = all.filter(({ text }) => !isName(text));
  const words = others.length > 0 ? others : all;
  if (words.length === 0) return nothingKnown;
  const rarest = words.toSorted((a, b) => b.most - a.most).slice(0, rarestCount);
  return {
    rarest: rarest.reduce((sum, word) => sum + shareKnown(word), 0) / rarest.length,
    missing: words.reduce((most, word) => Math.max(most, word.most * (1 - shareKnown(word))), 0),
  };
}

function wordsOf({ pieces, lengths, nearest }: QueryPieces): Word[] {
  const words: Word[] = [];
  for (const [i, piece] of pieces.entries()) {
    const last = words.at(-1);
    const says = lengths[i];
    const known = says * nearest[i];
    if (last && piece.startsWith('##')) {
      last.text += piece.slice(2);
      last.says += says;
      last.known += known;
      last.most = Math.max(last.most, says);
    } else words.push({ text: piece.replace(/^##/, ''), says, known, most: says });
  }
  return words;
}

function shareKnown({ says, known }: Word): number {
  return says === 0 ? 0 : known / says;
}
