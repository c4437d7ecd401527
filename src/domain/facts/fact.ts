import { type EffectiveState, isOutdated, type Memory } from '../memories/memory.ts';
import type { Imported } from '../shared/external-id.ts';
import type { Page, PageRequest } from '../shared/page.ts';
import type { FactWords, IndexedDocument } from '../shared/text-indexer.ts';
import type { EpochMs } from '../shared/time.ts';

/** How the sources of a derived fact state it; `repeated`: more than one of them directly. */
const confidenceBases = ['direct', 'repeated', 'hedged', 'planned', 'inferred'] as const;
export type ConfidenceBasis = (typeof confidenceBases)[number];

/** `expired` and `future`: stated only by memories whose validity has ended or has not begun. */
export const factStates = ['current', 'superseded', 'contradicted', 'expired', 'future'] as const;
type FactState = (typeof factStates)[number];

/** The state of a live memory that states a fact. */
interface FactSource {
  readonly state: EffectiveState;
  readonly validFrom: EpochMs | null;
  readonly validTo: EpochMs | null;
  /** The memory that replaces it, if it is outdated. */
  readonly newerId: string | null;
}

/** The clause of a live memory that states a derived fact, in UTF-16 units of its text. */
interface FactMention {
  readonly memoryId: string;
  readonly start: number;
  readonly end: number;
  /** 0-1. */
  readonly confidence: number;
}

export interface FactValidity {
  readonly effectiveState: FactState;
  /** Null if a memory states no beginning. */
  readonly validFrom: EpochMs | null;
  /** Null if a memory states no end. */
  readonly validTo: EpochMs | null;
  /** The memory that supersedes or contradicts the last one that states the fact. */
  readonly supersededBy: string | null;
}

/** State of a fact at a time: that of its sources; if these hold, that of its own validity. */
export function validityOf(fact: Pick<Fact, 'sources' | 'validFrom' | 'validTo'>, at: EpochMs): FactValidity {
  const ofSources = sourcesValidity(fact.sources, at);
  const validFrom = fact.validFrom ?? ofSources.validFrom;
  const validTo = fact.validTo ?? ofSources.validTo;
  let { effectiveState } = ofSources;
  if (effectiveState === 'current' && fact.validTo !== null && fact.validTo <= at) effectiveState = 'expired';
  if (effectiveState === 'current' && fact.validFrom !== null && fact.validFrom > at)
    effectiveState = 'future';
  return { ...ofSources, effectiveState, validFrom, validTo };
}

/**
 * State of a fact at a time: that of its sources that hold then; without one,
 * of those that hold at another time; else of the outdated ones.
 */
function sourcesValidity(sources: readonly FactSource[], at: EpochMs): FactValidity {
  const unreplaced = sources.filter(({ state }) => !isOutdated(state));
  const holding = unreplaced.filter(
    ({ validFrom, validTo }) => (validFrom ?? at) <= at && (validTo === null || validTo > at),
  );
  const deciding = [holding, unreplaced, sources].find((some) => some.length > 0) ?? [];
  const [starts, ends] = [deciding.map((one) => one.validFrom), deciding.map((one) => one.validTo)];
  return {
    effectiveState: holding.length === deciding.length ? 'current' : stateOf(deciding, at),
    validFrom: starts.reduce((least, start) => start && least && Math.min(least, start), starts[0] ?? null),
    validTo: ends.reduce((most, end) => end && most && Math.max(most, end), ends[0] ?? null),
    supersededBy: (unreplaced.length === 0 && sources.findLast(({ newerId }) => newerId)?.newerId) || null,
  };
}

/** State of a fact without a source that holds. */
function stateOf(sources: readonly FactSource[], at: EpochMs): FactState {
  if (sources.some(({ state }) => state === 'superseded')) return 'superseded';
  if (sources.some(({ state }) => state === 'contradicted')) return 'contradicted';
  return sources.every(({ validFrom }) => validFrom !== null && validFrom > at) ? 'future' : 'expired';
}

/** A statement as a triple: `subject` stands in the relation `predicate` to `object`. */
export interface Fact extends FactWords {
  readonly id: string;
  /** 0-1. */
  readonly confidence: number;
  /** Live memories that it comes from, oldest first; empty if a client stated it and no memory does. */
  readonly sourceMemoryIds: readonly string[];
  /** States of these memories. */
  readonly sources: readonly FactSource[];
  /** The sentences that state it, the first written first; none of a fact that clients stated. */
  readonly mentions: readonly FactMention[];
  /** When it was first derived or linked to a source; null without sources. */
  readonly extractedAt: EpochMs | null;
  /** Null if it was not derived. */
  readonly basis: ConfidenceBasis | null;
  /** Whether it is negated; the predicate contains the words of the negation. */
  readonly isNegated: boolean;
  /** Whether a person changed a derived fact. */
  readonly isCorrected: boolean;
  /** Validity that a client stated of the fact itself; null for derived facts. */
  readonly validFrom: EpochMs | null;
  readonly validTo: EpochMs | null;
  /** Id in another system, unique per user; null for derived facts. */
  readonly externalId: string | null;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
}

/** The fields of a fact shown with a source memory; `basis` and `isNegated` only if they were read. */
export type FactOfMemory = FactWords &
  Pick<Fact, 'id' | 'confidence'> &
  Partial<Pick<Fact, 'basis' | 'isNegated'>> &
  Partial<Pick<FactMention, 'start' | 'end'>>;

export interface FactsOfMemory {
  /** Facts of the highest confidence, at most `factsOfMemoryMax`. */
  readonly shown: readonly FactOfMemory[];
  /** Number of all facts derived from it. */
  readonly derived: number;
}

/** The strongest basis among those of a fact's sources; two direct ones make it `repeated`. */
export function basisOf(said: readonly ConfidenceBasis[]): ConfidenceBasis | null {
  const direct = said.filter((basis) => basis === 'direct').length;
  if (direct > 0) return direct > 1 ? 'repeated' : 'direct';
  return (['planned', 'hedged', 'inferred'] as const).find((basis) => said.includes(basis)) ?? null;
}

/** Maximum facts shown with a memory: those of the highest confidence. */
export const factsOfMemoryMax = 100;

export const factSorts = ['confidence', 'createdAt'] as const;
type FactSort = (typeof factSorts)[number];

/** Maximum lengths in UTF-16 units, as JavaScript clients count. */
export const factLengthMax = { subject: 500, predicate: 200, object: 500 } as const;
/** Default confidence of a fact that a client states. */
export const statedConfidence = 1;

/** All of them must match. */
export interface FactFilter {
  /** Only facts with this source. */
  readonly memoryId?: string;
  /** Only derived facts about this entity, by any of its names, or about one merged into it. */
  readonly entityId?: string;
  /** Compared without case and accents, as `q`. */
  readonly subject?: string;
  /** A part of subject, predicate and object, read as one text. */
  readonly q?: string;
  /** 0-1. */
  readonly minConfidence?: number;
  /** Only the one with this external id. */
  readonly externalId?: string;
}

/** The words of a fact before an edit. */
export interface FactVersion extends FactWords {
  readonly confidence: number;
  readonly openedAt: EpochMs;
  readonly closedAt: EpochMs;
}

export interface FactListQuery extends PageRequest, FactFilter {
  /** Only facts that hold at this time; absent: all. */
  readonly currentAt?: EpochMs;
  readonly sortBy: FactSort;
  readonly order: 'asc' | 'desc';
}

/**
 * Reads one user's facts. A fact with sources is visible while
 * one of them is live, so it returns with a restored memory.
 */
export interface FactReader {
  find(id: string): Promise<Fact | undefined>;
  /** Facts with these ids, in no fixed order; unknown ids are left out. */
  findMany(ids: readonly string[]): Promise<Fact[]>;
  list(query: FactListQuery): Promise<Page<Fact>>;
  /** Its words before each edit, the last edit first; empty for an unknown fact. */
  listVersions(id: string, request: PageRequest): Promise<Page<FactVersion>>;
  /** @param currentAt only facts that hold at this time */
  count(currentAt?: EpochMs): Promise<number>;
  /** Facts with greater ids, in order of id. */
  listAfter(id: string, limit: number): Promise<Fact[]>;
  /**
   * Facts of versions (at most 1,000), stated and derived,
   * by their `doc`; with `asOf` as they were at that time.
   */
  listByVersions(
    versions: readonly Pick<Memory, 'id' | 'doc'>[],
    asOf?: EpochMs,
  ): Promise<ReadonlyMap<number, FactsOfMemory>>;
}

export interface FactWriter extends FactReader {
  /** The sources must be memories of the user. */
  insert(fact: Fact, document: IndexedDocument, imported?: Imported): Promise<void>;
  /**
   * Overwrites words, confidence, validity and `updatedAt`; the former words are kept as a
   * version, and the sources stay. A derived fact counts as corrected from then on.
   */
  replace(fact: Fact, document: IndexedDocument): Promise<void>;
  trash(id: string, at: EpochMs): Promise<void>;
  restore(id: string): Promise<void>;
  /** Memories that state it or stated it, those in the trash included. */
  sourceIds(id: string): Promise<string[]>;
  /** Deletes a fact for good; a derived one stays without its words, so that derivation does not write it again. */
  erase(id: string): Promise<void>;
}
