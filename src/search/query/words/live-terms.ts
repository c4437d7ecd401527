import type { RowPostings } from '../../../search-index/postings/postings-cache.ts';
import type { IndexView } from '../../../search-index/rows/index-view.ts';

/**
 * A term of a query with the visible rows that contain it.
 * For an expanded word, rows that contain one of its terms.
 */
export interface LiveTerm {
  /** '' if it stands for several terms. */
  readonly term: string;
  /** The terms that it stands for; absent for one as typed. */
  readonly standsFor?: readonly string[];
  /** Ascending. */
  readonly rows: Int32Array;
  readonly frequencies: Uint8Array;
  /** Number of live memories, for the idf. */
  readonly documentFrequency: number;
  /** Factor of the idf: 1 for a word as typed. */
  readonly weight: number;
}

export const noRows = new Int32Array();

/** The visible rows of a term. If all are visible, the arrays are shared, not copied. */
function visibleRows(view: IndexView, term: string, { rows, frequencies }: RowPostings): LiveTerm {
  const { live } = view.index.columns;
  let count = 0;
  let documentFrequency = 0;
  for (let i = 0; i < rows.length; i++) {
    // Statistics are always current, whatever the view. The column is read directly: a call for each row took
    // twice as long.
    documentFrequency += live[rows[i]];
    if (view.isVisible(rows[i])) count++;
  }
  if (count === rows.length) return { term, rows, frequencies, documentFrequency, weight: 1 };
  const visible = { rows: new Int32Array(count), frequencies: new Uint8Array(count) };
  // A loop: `filter` of a typed array takes several times as long.
  for (let i = 0, at = 0; at < count; i++) {
    if (!view.isVisible(rows[i])) continue;
    visible.rows[at] = rows[i];
    visible.frequencies[at++] = frequencies[i];
  }
  return { term, rows: visible.rows, frequencies: visible.frequencies, documentFrequency, weight: 1 };
}

/** @param postings one entry for each of `terms` */
export function liveTerms(
  view: IndexView,
  terms: readonly string[],
  postings: readonly RowPostings[],
): LiveTerm[] {
  return terms.map((term, t) => visibleRows(view, term, postings[t]));
}

/**
 * Combines several terms into one: a row counts by its most frequent term. Rows that contain the typed
 * word itself are left out, because they match already, but they count for the document frequency.
 */
export function mergedTerm(terms: readonly LiveTerm[], typed: Int32Array, weight: number): LiveTerm {
  const frequencies = new Map<number, number>();
  for (const { rows, frequencies: ofTerm } of terms) {
    for (let i = 0; i < rows.length; i++)
      frequencies.set(rows[i], Math.max(frequencies.get(rows[i]) ?? 0, ofTerm[i]));
  }
  for (const row of typed) frequencies.delete(row);
  const merged = [...frequencies].sort((a, b) => a[0] - b[0]);
  return {
    term: terms.length === 1 ? terms[0].term : '',
    standsFor: terms.map(({ term }) => term),
    rows: Int32Array.from(merged, ([row]) => row),
    frequencies: Uint8Array.from(merged, ([, frequency]) => frequency),
    documentFrequency: merged.length + typed.length,
    weight,
  };
}

/** Speakers that a query names. */
export interface SpeakersNamed {
  readonly speakers: ReadonlySet<number>;
  /** Terms of their names. */
  readonly words: ReadonlySet<string>;
}

/** @param typed terms of the query as typed */
export function speakersNamed(
  typed: readonly string[],
  terms: readonly LiveTerm[],
  { index }: IndexView,
): SpeakersNamed {
  const speakers = index.speakersNamed(new Set([...typed, ...terms.map(({ term }) => term)]));
  const words = [...speakers].flatMap((speaker) => index.speakers.value(speaker).split(' '));
  return { speakers, words: new Set(words) };
}
