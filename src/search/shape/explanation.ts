import type { Evidence } from '../arms/signal.ts';
import type { TermExpansion } from '../query/words/expand-query.ts';
import type { MatchedPhrase } from '../query/words/quoted-phrases.ts';
import type { Explanation, ScorePart } from '../request.ts';
import type { MatchedWord } from './matched-words.ts';

/** Words of a memory that match the query. */
export interface Matched {
  /** Words of the memory, its name, topics and date that are terms of the query. */
  readonly matchedTerms: readonly string[];
  /** Corrections and completions of the query's words. */
  readonly notes: readonly string[];
}

/** Contribution of one feature to a memory's score. */
export interface Contribution extends ScorePart {
  readonly isOwnWords: boolean;
}

function signed(value: number): string {
  return `${value < 0 ? '-' : '+'}${Math.abs(value).toFixed(3)}`;
}

function reasonOf(
  { matchedTerms }: Matched,
  evidence: readonly Evidence[],
  helper: Contribution | undefined,
): string {
  const quoted = matchedTerms.map((word) => `"${word}"`).join(', ');
  if (matchedTerms.length > 0) return `Holds ${quoted}${helper ? `; helped by ${helper.label}` : ''}.`;
  const [surest] = [...evidence].sort((a, b) => a.reasonRank - b.reasonRank);
  if (surest) return surest.describe().reason;
  return `Stands beside memories that match${helper ? `: helped by ${helper.label}` : ''}.`;
}

/**
 * The explanation in words: the contributions to the score, the strongest first, then the evidence.
 * @param evidence of the signals that found the memory
 */
export function explain(
  matched: Matched,
  evidence: readonly Evidence[],
  contributions: readonly Contribution[],
): Explanation {
  const given = contributions
    .filter(({ value }) => value !== 0)
    .sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
  const helper = given.find(({ isOwnWords, value }) => value > 0 && !isOwnWords);
  return {
    matchReason: reasonOf(matched, evidence, helper),
    matchedTerms: matched.matchedTerms,
    contributingFactors: [
      ...given.map(({ label, value }) => `${label} ${signed(value)}`),
      ...evidence.flatMap((each) => each.describe().notes),
      ...matched.notes,
    ],
    parts: given.map(({ key, label, value }) => ({ key, label, value })),
  };
}

export const browsed: Explanation = {
  matchReason: 'Passes the filters; no words were asked for.',
  matchedTerms: [],
  contributingFactors: [],
  parts: [],
};

/** Explanation of a version that an evolution lists next to the match. */
export const versionOfMatch: Explanation = {
  matchReason: 'Another version of a match, or a memory that supersedes it or is superseded by it.',
  matchedTerms: [],
  contributingFactors: [],
  parts: [],
};

const wordsShownMax = 5;

/**
 * Notes on how the query was read: `"kuber…" read as Kubernetes`. With words
 * of the memory, or with the terms themselves if it contains none of them.
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
