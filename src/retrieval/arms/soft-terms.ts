import type { NearWord, NearWords } from '../../domain/embedding/near-words.ts';
import type { Moment } from '../index/moment.ts';
import { postingsOf } from '../index/term-postings.ts';
import type { AnalyzeQuery, IndexReader } from '../ports.ts';
import { inverseDocumentFrequency } from '../rank/bm25.ts';
import type { QueryWord } from '../terms/query-words.ts';
import type { LiveTerm } from './live-terms.ts';
import { liveTerms } from './live-terms.ts';

/** Near words of one query word that count, the nearest that the user's memories hold. */
const nearWordsMax = 8;
const wordsMax = 32;
const closenessMin = 0.3;

/** A word of the query that also counts through near words. */
export interface SoftTerm {
  readonly word: string;
  /** Near words that memories hold, nearest first, with the rows that hold them and not the word itself. */
  readonly near: readonly { readonly word: string; readonly rows: ReadonlySet<number> }[];
}

export interface SoftMatches {
  readonly terms: readonly SoftTerm[];
  /** Over the words of the query the best near word that the row holds, added up; 0 for rows that hold none. */
  readonly scores: Float64Array;
  readonly rows: readonly number[];
}

export interface SoftInput {
  readonly reader: IndexReader;
  readonly moment: Moment;
  readonly nearWords: NearWords;
  readonly analyzeQuery: AnalyzeQuery;
  readonly words: readonly QueryWord[];
  /** Of the query, as typed. */
  readonly typed: readonly LiveTerm[];
}

/**
 * Each word of the query counts up to 8 near words of the user's own vocabulary: (closeness - 0.3) / 0.7 times the
 * smaller idf of both. A memory that holds the word itself gains nothing for it (design, section 7).
 */
export async function softTerms(input: SoftInput): Promise<SoftMatches> {
  const { moment, words, typed } = input;
  const { index } = moment;
  const scores = new Float64Array(index.size);
  const rows: number[] = [];
  const terms: SoftTerm[] = [];
  const typedBy = new Map(typed.map((live) => [live.term, live]));
  for (const { term, word } of words.slice(0, wordsMax)) {
    const own = typedBy.get(term);
    const found = await nearTerms(input, word, new Set(typedBy.keys()));
    if (found.length === 0) continue;
    const idf = inverseDocumentFrequency(index.documents, own?.documentFrequency ?? 0);
    const weighed = found.map(({ live, closeness }) => ({
      live,
      weight:
        ((closeness - closenessMin) / (1 - closenessMin)) *
        Math.min(idf, inverseDocumentFrequency(index.documents, live.documentFrequency)),
    }));
    for (const [row, best] of bestByRow(weighed, own?.rows ?? [])) {
      if (scores[row] === 0) rows.push(row);
      scores[row] += best;
    }
    const holders = new Set(own?.rows);
    const near = found.map((each) => ({
      word: each.word,
      rows: new Set(each.live.rows.filter((row) => !holders.has(row))),
    }));
    terms.push({ word, near });
  }
  return { terms, scores, rows };
}

interface NearTerm {
  readonly word: string;
  readonly live: LiveTerm;
  readonly closeness: number;
}

async function nearTerms(
  { reader, moment, nearWords, analyzeQuery }: SoftInput,
  word: string,
  typed: ReadonlySet<string>,
): Promise<NearTerm[]> {
  const nearOf = new Map<string, NearWord>();
  for (const near of nearWords.near(word)) {
    const [term, ...more] = analyzeQuery(near.word);
    if (term !== undefined && more.length === 0 && !typed.has(term) && !nearOf.has(term))
      nearOf.set(term, near);
  }
  if (nearOf.size === 0) return [];
  const held = new Set(await reader.vocabulary.among([...nearOf.keys()]));
  const wanted = [...nearOf.keys()].filter((term) => held.has(term)).slice(0, nearWordsMax);
  if (wanted.length === 0) return [];
  const live = liveTerms(moment, wanted, await postingsOf(reader, moment.index, wanted));
  return live.flatMap((each) => {
    const near = nearOf.get(each.term);
    return near ? [{ word: near.word, live: each, closeness: near.closeness }] : [];
  });
}

function bestByRow(
  near: readonly { readonly live: LiveTerm; readonly weight: number }[],
  own: readonly number[],
): Map<number, number> {
  const best = new Map<number, number>();
  for (const { live, weight } of near)
    for (const row of live.rows) best.set(row, Math.max(best.get(row) ?? 0, weight));
  for (const row of own) best.delete(row);
  return best;
}
