import type { Memory } from '../../domain/memories/memory.ts';
import type { AnalyzeWithOffsets } from '../ports.ts';
import type { Explanation, SearchHit } from '../request.ts';
import { previewOf } from './preview.ts';

export interface MatchedWord {
  readonly word: string;
  readonly start: number;
}

/** Words are looked for in the first part of a text only: a preview needs one, an explanation a few. */
const searchedLengthMax = 5000;

/** The words of `content` that are terms of the query, as they stand there, each once. */
export function matchedWords(
  content: string,
  terms: ReadonlySet<string>,
  analyzeWithOffsets: AnalyzeWithOffsets,
): MatchedWord[] {
  const words = new Map<string, MatchedWord>();
  for (const { term, start, end } of analyzeWithOffsets(content.slice(0, searchedLengthMax))) {
    const word = content.slice(start, end);
    if (terms.has(term) && !words.has(word)) words.set(word, { word, start });
  }
  return [...words.values()];
}

export interface HitParts {
  readonly memory: Memory;
  readonly words: readonly MatchedWord[];
  /** From 1. */
  readonly rank: number;
  /** Undefined when browsing. */
  readonly score: number | undefined;
  readonly explain: boolean;
}

export function shapeHit({ memory, words, rank, score, explain }: HitParts): SearchHit {
  const found = score !== undefined;
  return {
    memory,
    preview: previewOf(memory.content, words[0]?.start),
    score: score ?? null,
    fulltextScore: score ?? null,
    fulltextRank: found ? rank : null,
    matchedVia: found ? ['fulltext'] : [],
    branchScores: found ? { fulltext: score } : {},
    ...(explain && { explanation: explanationOf(words, score) }),
  };
}

function explanationOf(words: readonly MatchedWord[], score: number | undefined): Explanation {
  if (score === undefined) {
    return {
      matchReason: 'Passes the filters; no words were asked for.',
      matchedTerms: [],
      contributingFactors: [],
    };
  }
  const matchedTerms = words.map(({ word }) => word);
  return {
    matchReason:
      matchedTerms.length > 0 ? `Holds ${matchedTerms.join(', ')}.` : 'Its topics, name or date match.',
    matchedTerms,
    contributingFactors: [`fulltext ${score.toFixed(3)}`],
  };
}
