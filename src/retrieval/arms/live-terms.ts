import type { Moment } from '../index/moment.ts';
import type { Postings } from '../ports.ts';

/** A term of a query, and the visible rows that hold it or, for a word read otherwise, one of the terms it is read as. */
export interface LiveTerm {
  /** '' where several terms are meant. */
  readonly term: string;
  /** Rising. */
  readonly rows: readonly number[];
  readonly frequencies: readonly number[];
  /** Live memories that the idf counts. */
  readonly documentFrequency: number;
  /** Factor of the idf: 1 for what was typed. */
  readonly weight: number;
}

interface Occurrences {
  readonly rows: number[];
  readonly frequencies: number[];
  /** Rows that are live now, whatever the moment: the statistics are today's. */
  documentFrequency: number;
}

/** The visible rows among postings: both lists rise, so one walk along the docs of the index finds them. */
function visibleRows(moment: Moment, { docs, frequencies }: Postings): Occurrences {
  const found: Occurrences = { rows: [], frequencies: [], documentFrequency: 0 };
  const { index } = moment;
  const known = index.columns.docs;
  let row = 0;
  for (let i = 0; i < docs.length; i++) {
    row = advance(known, row, index.size, docs[i]);
    if (row >= index.size) break;
    if (known[row] !== docs[i]) continue;
    if (index.isLive(row)) found.documentFrequency++;
    if (!moment.isVisible(row)) continue;
    found.rows.push(row);
    found.frequencies.push(frequencies[i]);
  }
  return found;
}

/** First row from `from` whose doc is `doc` or more, by galloping: steps double, then a binary search. */
function advance(docs: Float64Array, from: number, size: number, doc: number): number {
  if (from >= size || docs[from] >= doc) return from;
  let step = 1;
  while (from + step < size && docs[from + step] < doc) step *= 2;
  let low = from + (step >> 1);
  let high = Math.min(from + step, size);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (docs[middle] < doc) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** @param postings one entry for each of `terms` */
export function liveTerms(
  moment: Moment,
  terms: readonly string[],
  postings: readonly Postings[],
): LiveTerm[] {
  return terms.map((term, t) => {
    const { rows, frequencies, documentFrequency } = visibleRows(moment, postings[t]);
    return { term, rows, frequencies, documentFrequency, weight: 1 };
  });
}

/**
 * Several terms as one: a row counts by the term it holds most often. Rows that hold the typed word itself are left
 * out, for they have it already, but count for how common the word is.
 */
export function mergedTerm(terms: readonly LiveTerm[], typed: readonly number[], weight: number): LiveTerm {
  const frequencies = new Map<number, number>();
  for (const { rows, frequencies: ofTerm } of terms) {
    for (const [i, row] of rows.entries())
      frequencies.set(row, Math.max(frequencies.get(row) ?? 0, ofTerm[i]));
  }
  for (const row of typed) frequencies.delete(row);
  const merged = [...frequencies].sort((a, b) => a[0] - b[0]);
  return {
    term: terms.length === 1 ? terms[0].term : '',
    rows: merged.map(([row]) => row),
    frequencies: merged.map(([, frequency]) => frequency),
    documentFrequency: merged.length + typed.length,
    weight,
  };
}
