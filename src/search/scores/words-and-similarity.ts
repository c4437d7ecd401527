import type { NearRecord } from '../../search-index/vectors/short-texts.ts';
import type { DocumentScores } from './document-score.ts';

/** Similarity that makes a short text a match by itself: plausibly related. */
export const similarityMin = 0.5;

/**
 * Maximum score of a text without shared words, and the share of the missing score that similarity can fill.
 */
const similarityWorth = 0.5;

/**
 * Score of a short text from its words (0-1) and its similarity (0-1). Words come first: a match
 * of all words is 1 whatever the similarity, which fills part of the score that words leave.
 */
export function wordsAndSimilarity(words: number, similarity: number): number {
  return words + (1 - words) * similarityWorth * similarity;
}

export function isMatch(words: number, similarity: number, least: number = similarityMin): boolean {
  return words > 0 || similarity >= least;
}

export interface FusedRecord {
  readonly id: string;
  readonly doc: number;
  /** Above 0, at most 1. */
  readonly score: number;
}

/**
 * Records that match by words or similarity, best first, ties newest first. Words
 * count as their share of the query, so that one common word among many is little.
 * @param least minimum similarity of a record that shares no word
 */
export function fuseRecords(
  words: DocumentScores,
  near: readonly NearRecord[],
  least: number = similarityMin,
): FusedRecord[] {
  const most = words.documents.reduce((max, { score }) => Math.max(max, score), words.whole);
  const byDoc = new Map(near.map((record) => [record.doc, record.similarity]));
  const found = words.documents.map(({ id, doc, score }) => ({
    id,
    doc,
    score: wordsAndSimilarity(score / most, byDoc.get(doc) ?? 0),
  }));
  const worded = new Set(found.map(({ doc }) => doc));
  for (const { id, doc, similarity } of near)
    if (!worded.has(doc) && isMatch(0, similarity, least))
      found.push({ id, doc, score: wordsAndSimilarity(0, similarity) });
  return found.sort((a, b) => b.score - a.score || b.doc - a.doc);
}
