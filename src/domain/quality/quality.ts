import type { EffectiveState } from '../memories/memory.ts';
import { DAY_MS, type EpochMs } from '../shared/time.ts';

/** Properties that determine the quality of a memory. */
export interface QualityTraits {
  readonly id: string;
  readonly content: string;
  readonly createdAt: EpochMs;
  readonly effectiveState: EffectiveState;
  /** Importance stated by a client, any number; null if not stated. */
  readonly importance: number | null;
  /** Number of live edges of both directions. */
  readonly edges: number;
  /** Number of entities and facts derived from it, and of facts stated about it. */
  readonly derived: number;
  /** Search feedback about it. */
  readonly selected: number;
  readonly notSelected: number;
  /** Whether it has a name or is a version of a named memory. */
  readonly isNamed: boolean;
}

/** Parts of the score, each 0 to 1. */
interface QualityBreakdown {
  readonly informationDensity: number;
  readonly freshness: number;
  readonly use: number;
  readonly connections: number;
  readonly confidence: number;
  /** Subtracted from the score. */
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
/** Age at which a memory is half as fresh as a new one. */
const halfLifeMs = 180 * DAY_MS;
/** Number of different words that gives about two thirds of the density of a long memory. */
const wordsScale = 8;
const connectionsScale = 2;
/** UTF-16 units of a memory that are rated. */
const judgedLength = 4000;
const importanceMax = 10;

/** Weighted sum of the parts minus the penalty of the state: design section 5. */
export function qualityOf(traits: QualityTraits, now: EpochMs): Quality {
  const parts: QualityBreakdown = {
    informationDensity: densityOf(traits.content),
    freshness: 0.5 ** (Math.max(0, now - traits.createdAt) / halfLifeMs),
    // Laplace's rule of succession: 0.5 without feedback.
    use: (traits.selected + 1) / (traits.selected + traits.notSelected + 2),
    connections: saturating(traits.edges + traits.derived / 2, connectionsScale),
    confidence: confidenceOf(traits.importance),
    // An unknown state is for `check` to report; it does not fail this report.
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

/** Density: many different words of three letters or more, and few repetitions. */
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

/** Importance that a client stated, relative to 10; 0.5 if not stated. */
function confidenceOf(importance: number | null): number {
  if (importance === null) return 0.5;
  const share = importance > 1 ? importance / importanceMax : importance;
  return Math.min(1, Math.max(0, share));
}

/** Reads one user's live memories for rating them. */
export interface QualityReader {
  /** At most `limit` live memories written after `seq`, in the order of writing; with the seq of the last. */
  traitsAfter(
    seq: number,
    limit: number,
  ): Promise<{ readonly traits: readonly QualityTraits[]; readonly lastSeq: number | undefined }>;
  /** Memories that begin or resolve a narrative. */
  narrativeEnds(): Promise<ReadonlySet<string>>;
}
