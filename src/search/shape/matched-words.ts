import type { Memory } from '../../domain/memories/memory.ts';
import type { AnalyzeWithOffsets } from '../../search-index/ports.ts';

/** A part of a text in UTF-16 units, end exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A word of a memory that is a term of the query. */
export interface MatchedWord extends Span {
  /** As written. */
  readonly word: string;
  readonly term: string;
}

/** UTF-16 units that are searched for words, from the beginning of a text without a known passage. */
const searchedLengthMax = 5000;

/** The words of a part of a text that are among the terms, in the order of the text. */
export function matchedWords(
  content: string,
  terms: ReadonlySet<string>,
  analyzeWithOffsets: AnalyzeWithOffsets,
  { start: from, end }: Span = { start: 0, end: searchedLengthMax },
): MatchedWord[] {
  const found = analyzeWithOffsets(content.slice(from, end)).filter(({ term }) => terms.has(term));
  return found.map(({ term, start, end: to }) => wordAt(content, term, from + start, from + to));
}

function wordAt(content: string, term: string, start: number, end: number): MatchedWord {
  return { word: content.slice(start, end), term, start, end };
}

/** The terms of a text with starts and ends, one after the other. */
interface KnownTerms {
  readonly terms: readonly string[];
  readonly spans: Uint16Array;
}

/** Texts up to this length are analysed once while their record is cached; of longer ones a passage is read. */
const rememberedLengthMax = 1000;
const remembered = new WeakMap<Memory, KnownTerms>();

/** `matchedWords` of a memory, for a preview. */
export function matchedInMemory(
  memory: Memory,
  terms: ReadonlySet<string>,
  analyzeWithOffsets: AnalyzeWithOffsets,
  passages: readonly Span[] | undefined,
): MatchedWord[] {
  const { content } = memory;
  if (content.length > rememberedLengthMax) {
    const inOrder = passages?.toSorted((a, b) => a.start - b.start) ?? [undefined];
    return inOrder.flatMap((passage) => matchedWords(content, terms, analyzeWithOffsets, passage));
  }
  const { terms: own, spans } = remembered.get(memory) ?? remember(memory, analyzeWithOffsets);
  return own.flatMap((term, i) =>
    terms.has(term) ? [wordAt(content, term, spans[2 * i], spans[2 * i + 1])] : [],
  );
}

function remember(memory: Memory, analyzeWithOffsets: AnalyzeWithOffsets): KnownTerms {
  const found = analyzeWithOffsets(memory.content);
  const known = {
    terms: found.map(({ term }) => term),
    spans: Uint16Array.from(found.flatMap(({ start, end }) => [start, end])),
  };
  remembered.set(memory, known);
  return known;
}

/** Start of the first of the windows of `width` with the most different terms; undefined without a match. */
export function densestStart(matched: readonly MatchedWord[], width: number): number | undefined {
  let best: number | undefined;
  let most = 0;
  for (const [i, { start }] of matched.entries()) {
    const terms = new Set<string>();
    for (let n = i; n < matched.length && matched[n].end <= start + width; n++) terms.add(matched[n].term);
    if (terms.size > most || best === undefined) [best, most] = [start, terms.size];
  }
  return best;
}

const highlightsMax = 20;

/** Spans of the first 20 matched words, overlapping ones joined. */
export function highlightsOf(matched: readonly MatchedWord[]): Span[] {
  const spans: { start: number; end: number }[] = [];
  for (const { start, end } of matched) {
    const last = spans.at(-1);
    if (last && start < last.end) last.end = Math.max(last.end, end);
    else if (spans.length === highlightsMax) break;
    else spans.push({ start, end });
  }
  return spans;
}
