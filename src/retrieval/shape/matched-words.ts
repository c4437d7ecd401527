import type { AnalyzeWithOffsets } from '../ports.ts';

/** A word of a memory that is a term of the query, as it stands there. */
export interface MatchedWord {
  readonly word: string;
  readonly term: string;
  /** UTF-16 units from the start of the text. */
  readonly start: number;
}

/** Words are looked for in the first part of a text only: a preview needs one, an explanation a few. */
const searchedLengthMax = 5000;

/** Each different word once, in the order of the text; with `firstOnly` the first, which is what a preview needs. */
export function matchedWords(
  content: string,
  terms: ReadonlySet<string>,
  analyzeWithOffsets: AnalyzeWithOffsets,
  firstOnly = false,
): MatchedWord[] {
  const words = new Map<string, MatchedWord>();
  for (const { term, start, end } of analyzeWithOffsets(
    content.slice(0, searchedLengthMax),
    firstOnly ? terms : undefined,
  )) {
    const word = content.slice(start, end);
    if (terms.has(term) && !words.has(word)) words.set(word, { word, term, start });
  }
  return [...words.values()];
}
