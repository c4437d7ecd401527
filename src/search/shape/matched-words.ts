import type { Memory } from '../../domain/memories/memory.ts';
import type { AnalyzeWithOffsets } from '../../search-index/ports.ts';

/** A word of a memory that is a term of the query, as written there. */
export interface MatchedWord {
  readonly word: string;
  readonly term: string;
  /** UTF-16 units from the start of the text. */
  readonly start: number;
}

/** Words are searched in the first part of a text only: a preview needs one, an explanation a few. */
const searchedLengthMax = 5000;

/** Each different word once, in the order of the text. */
export function matchedWords(
  content: string,
  terms: ReadonlySet<string>,
  analyzeWithOffsets: AnalyzeWithOffsets,
): MatchedWord[] {
  const words = new Map<string, MatchedWord>();
  for (const { term, start, end } of analyzeWithOffsets(content.slice(0, searchedLengthMax))) {
    const word = content.slice(start, end);
    if (terms.has(term) && !words.has(word)) words.set(word, { word, term, start });
  }
  return [...words.values()];
}

/** The terms of a text and their starts. */
interface KnownTerms {
  readonly terms: readonly string[];
  readonly starts: Uint16Array;
}

/**
 * Texts up to this length are analysed once while their record
 * is cached; of longer texts usually only a part is read.
 */
const rememberedLengthMax = 1000;
const remembered = new WeakMap<Memory, KnownTerms>();

/** Position of the first term of the query in a memory, for a preview. */
export function firstMatch(
  memory: Memory,
  terms: ReadonlySet<string>,
  analyzeWithOffsets: AnalyzeWithOffsets,
): number | undefined {
  const { content } = memory;
  if (content.length > rememberedLengthMax)
    return analyzeWithOffsets(content.slice(0, searchedLengthMax), terms).find(({ term }) => terms.has(term))
      ?.start;
  const known = remembered.get(memory) ?? remember(memory, analyzeWithOffsets);
  const at = known.terms.findIndex((term) => terms.has(term));
  return at < 0 ? undefined : known.starts[at];
}

function remember(memory: Memory, analyzeWithOffsets: AnalyzeWithOffsets): KnownTerms {
  const found = analyzeWithOffsets(memory.content);
  const known = {
    terms: found.map(({ term }) => term),
    starts: Uint16Array.from(found, ({ start }) => start),
  };
  remembered.set(memory, known);
  return known;
}
