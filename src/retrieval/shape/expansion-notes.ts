import type { TermExpansion } from '../expand/expand-query.ts';
import type { MatchedPhrase } from '../expand/match-phrases.ts';
import type { MatchedWord } from './matched-words.ts';

const wordsShownMax = 5;

/**
 * How the query was read, in words: `"kuber…" read as Kubernetes`. Words as they stand in the memory, or the terms
 * they were read as where it holds none of them.
 */
export function expansionNotes(
  words: readonly MatchedWord[],
  expansions: readonly TermExpansion[],
  phrases: readonly MatchedPhrase[],
): string[] {
  const read = expansions.map(({ typed, terms }) => {
    const meant = new Set(terms);
    const standing = words.filter(({ term }) => meant.has(term)).map(({ word }) => word);
    const shown = (standing.length > 0 ? standing : terms).slice(0, wordsShownMax);
    return `"${typed}" read as ${shown.join(', ')}`;
  });
  const quoted = phrases.map(({ text, held }) =>
    held ? `holds "${text}" word for word` : `no memory holds "${text}" word for word: read as plain words`,
  );
  return [...read, ...quoted];
}
