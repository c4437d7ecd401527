import type { AnalyzeWithOffsets } from '../search-index/ports.ts';

/** UTF-16 units of a text that are read, and maximum length of an extract. */
const readLengthMax = 10_000;
const extractLengthMax = 400;

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' });

interface Sentence {
  readonly start: number;
  readonly end: number;
  /** Terms of the query that the sentence contains. */
  readonly terms: Set<string>;
}

/**
 * Extract of a text for a query: the sentence with the most terms of the query, and
 * the sentences after it that fit. The beginning if no sentence contains a term.
 */
export function extractOf(
  content: string,
  terms: ReadonlySet<string>,
  analyzeWithOffsets: AnalyzeWithOffsets,
): string {
  const text = content.slice(0, readLengthMax);
  const found = sentencesOf(text);
  let at = 0;
  for (const { term, start } of analyzeWithOffsets(text)) {
    while (at < found.length - 1 && start >= (found[at]?.end ?? 0)) at++;
    while (at > 0 && start < (found[at]?.start ?? 0)) at--;
    if (terms.has(term)) found[at]?.terms.add(term);
  }
  const best = found.reduce(
    (most, each, i) => (each.terms.size > (found[most]?.terms.size ?? 0) ? i : most),
    0,
  );
  return from(text, found, best);
}

function sentencesOf(text: string): Sentence[] {
  return Array.from(sentences.segment(text), ({ index, segment }) => ({
    start: index,
    end: index + segment.length,
    terms: new Set<string>(),
  }));
}

function from(text: string, found: readonly Sentence[], first: number): string {
  const { start = 0 } = found[first] ?? {};
  let end = found[first]?.end ?? 0;
  for (const next of found.slice(first + 1)) {
    if (next.end - start > extractLengthMax) break;
    end = next.end;
  }
  return end - start <= extractLengthMax ? text.slice(start, end).trim() : cut(text.slice(start, end));
}

/** Never cuts a surrogate pair. */
function cut(text: string): string {
  const last = text.charCodeAt(extractLengthMax - 2);
  const length = last >= 0xd800 && last <= 0xdbff ? extractLengthMax - 2 : extractLengthMax - 1;
  return `${text.slice(0, length).trim()}…`;
}
