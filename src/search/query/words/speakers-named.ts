import type { IndexView } from '../../../search-index/rows/index-view.ts';
import type { LiveTerm } from './live-terms.ts';

/** Speakers whom a query names. */
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
