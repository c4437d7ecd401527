import type { EffectiveState } from '../memories/memory.ts';
import { DAY_MS, type EpochMs } from '../shared/time.ts';

/** What the quality of a memory is judged by. */
export interface QualityTraits {
  readonly id: string;
  readonly content: string;
  readonly createdAt: EpochMs;
  readonly effectiveState: EffectiveState;
  /** Stated by a client, any number; null where it was not. */
  readonly importance: number | null;
  /** Live edges of both directions. */
  readonly edges: number;
  /** Entities and facts that were derived from it, facts stated about it. */
  readonly derived: number;
  /** Search feedback on it. */
  readonly selected: number;
  readonly notSelected: number;
  /** Whether it has a name, or is a version of a named memory. */
  readonly isNamed: boolean;
}

/** Each 0 to 1. */
interface QualityBreakdown {
  readonly informationDensity: number;
  readonly freshness: number;
  readonly use: number;
  readonly connections: number;
  readonly confidence: number;
  /** Taken off. */
  readonly statePenalty: number;
}

export interface Quality {
  /** 0 to 1. */
  readonly score: number;
  readonly parts: QualityBreakdown;
}

const qualityBands = { high: 0.7, medium: 0.4 } as const;
type QualityBand = 'high' | 'medium' | 'low';

const weights = {
  informationDensity: 0.4,
  freshness: 0.15,
  use: 0.15,
  connections: 0.15,
  confidence: 0.15,
} as const;
const penalties: Readonly<Record<EffectiveState, number>> = {
  current: 0,
  superseded: 0.3,
  contradicted: 0.2,
  duplicate: 0.4,
};
/** A memory of that age is half as fresh as a new one. */
const halfLifeMs = 180 * DAY_MS;
/** As many different words give about two thirds of what a long memory has. */
const wordsScale = 8;
const connectionsScale = 2;
/** Of a long document, what is judged. */
const judgedLength = 4000;
const importanceMax = 10;

/** A sum of named parts, less what the state takes off: design section 5. */
export function qualityOf(traits: QualityTraits, now: EpochMs): Quality {
  const parts: QualityBreakdown = {
    informationDensity: densityOf(traits.content),
    freshness: 0.5 ** (Math.max(0, now - traits.createdAt) / halfLifeMs),
    // By Laplace's rule of succession: without feedback .5.
    use: (traits.selected + 1) / (traits.selected + traits.notSelected + 2),
    connections: saturating(traits.edges + traits.derived / 2, connectionsScale),
    confidence: confidenceOf(traits.importance),
    // A state that is none is for `check` to name: a report is answered all the same.
    statePenalty: penalties[traits.effectiveState] ?? 0,
  };
  const sum =
    weights.informationDensity * parts.informationDensity +
    weights.freshness * parts.freshness +
    weights.use * parts.use +
    weights.connections * parts.connections +
    weights.confidence * parts.confidence;
  return { score: Math.min(1, Math.max(0, sum - parts.statePenalty)), parts };
}

export function bandOf(score: number): QualityBand {
  if (score >= qualityBands.high) return 'high';
  return score >= qualityBands.medium ? 'medium' : 'low';
}

const saturating = (value: number, scale: number) => 1 - Math.exp(-value / scale);

/** How many different words of three letters or more it has, and how few of its words are repetitions. */
function densityOf(content: string): number {
  const words =
    content
      .slice(0, judgedLength)
      .toLowerCase()
      .match(/[\p{L}\p{N}]{3,}/gu) ?? [];
  if (words.length === 0) return 0;
  const different = new Set(words).size;
  return saturating(different, wordsScale) * Math.sqrt(different / words.length);
}

/** What a client said of its importance, of 10; without it the middle. */
function confidenceOf(importance: number | null): number {
  if (importance === null) return 0.5;
  const share = importance > 1 ? importance / importanceMax : importance;
  return Math.min(1, Math.max(0, share));
}

/** Reads of one user's live memories for judging them. */
export interface QualityReader {
  /** Live memories written after `seq`, in the order of writing, at most `limit`; with the seq of the last. */
  traitsAfter(
    seq: number,
    limit: number,
  ): Promise<{ readonly traits: readonly QualityTraits[]; readonly lastSeq: number | undefined }>;
  /** Memories that begin or resolve a narrative. */
  narrativeEnds(): Promise<ReadonlySet<string>>;
}
