import { fold, foldWithOffsets, needsFolding } from './fold.ts';
import { scan, TermList } from './scan.ts';

/** Rises whenever any text may give other terms, traits or speakers than before: older indexes must be rebuilt. */
export const ANALYZER_VERSION = 2;

function termsOf(text: string, singles: boolean): string[] {
  const out = new TermList({ singles, spans: false });
  scan(needsFolding(text) ? fold(text) : text, out);
  return out.terms;
}

/**
 * Terms of a document, in order and with repetitions. They hold lower-case ASCII letters, digits and non-ASCII
 * letters, marks and emoji only, and at most 64 UTF-16 units each. Any string is safe; stop words alone give [].
 */
export function analyze(text: string): string[] {
  return termsOf(text, true);
}

/**
 * Distinct terms of a query, in order. In scripts without spaces they
 * are pairs of characters, and a single one only if it is alone.
 */
export function analyzeQuery(text: string): string[] {
  return [...new Set(termsOf(text, false))];
}

export interface PlacedTerm {
  readonly term: string;
  /** UTF-16 units of the original text, end exclusive. */
  readonly start: number;
  readonly end: number;
}

/**
 * The terms of `analyze`, each with its part of the original text. Much slower for non-ASCII text.
 * @param until terms to stop at: the rest of the text may be left out after the first of them
 */
export function analyzeWithOffsets(text: string, until?: ReadonlySet<string>): PlacedTerm[] {
  const folded = needsFolding(text) ? foldWithOffsets(text) : undefined;
  const out = new TermList({ singles: true, spans: true, until });
  scan(folded?.text ?? text, out);
  const spans = out.spans ?? [];
  return out.terms.map((term, i) => {
    const start = spans[2 * i];
    const end = spans[2 * i + 1];
    return { term, start: folded?.starts[start] ?? start, end: folded?.ends[end - 1] ?? end };
  });
}
