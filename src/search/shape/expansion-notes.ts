import type { TermExpansion } from '../query/words/expand-query.ts';
import type { MatchedPhrase } from '../query/words/match-phrases.ts';
import type { MatchedWord } from './matched-words.ts';

const wordsShownMax = 5;

/**
 * How the query was read, in words: `"kuber…" read as Kubernetes`. Words as the memory has them, or the terms
 * they were read as where it has none of them.
 */
export function expansionNotes(
  words: readonly MatchedWord[],
  expansions: readonly TermExpansion[],
  phrases: readonly MatchedPhrase[],
): string[] {
  const read = expansions.map(({ typed, terms }) => {
    const meant = new Set(terms);
    const found = words.filter(({ term }) => meant.has(term)).map(({ word }) => word);
    const shown = (found.length > 0 ? found : terms).slice(0, wordsShownMax);
    return `"${typed}" read as ${shown.join(', ')}`;
  });
  const quoted = phrases.map(({ text, matched }) =>
    matched
      ? `holds "${text}" word for word`
      : `no memory holds "${text}" word for word: read as plain words`,
  );
  return [...read, ...quoted];
}
