import type { Metadata } from '../memories/metadata.ts';
import type { Page, PageRequest } from '../shared/page.ts';
import type { EpochMs } from '../shared/time.ts';

/** Kinds of patterns, by falling priority. */
export const patternTypes = [
  'correction',
  'rule',
  'preference',
  'habit',
  'sequence',
  'tool',
  'temporal',
] as const;
export type PatternType = (typeof patternTypes)[number];

export const patternFields = ['name', 'description', 'confidence', 'metadata'] as const;
export type PatternField = (typeof patternFields)[number];

/** Lengths are UTF-16 units. */
export const patternLengthMax = { name: 200, description: 1000, feedback: 2000 } as const;
/** Maximum patterns of a user; a compilation stores those of the highest confidence first. */
export const patternsMax = 2000;
/** Memories kept for one pattern: the latest. */
export const evidenceMax = 200;
/** Memories shown with one pattern: the latest. */
export const evidenceShownMax = 20;

export interface PatternEvidence {
  readonly memoryId: string;
  readonly at: EpochMs;
}

/** The statement of a pattern, in the parts by which patterns are compared. */
export interface PatternClaim {
  readonly type: PatternType;
  /** A name, or `user`. */
  readonly owner: string;
  readonly target: string;
  /** The alternative to which the target is preferred. */
  readonly against: string | null;
  readonly isNegated: boolean;
}

/** A statement or habit that recurs in the memories of a user. */
export interface Pattern extends PatternClaim {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly description: string;
  /** The topic of most of its memories. */
  readonly context: string | null;
  /** 0-1. */
  readonly confidence: number;
  /** `confidence` before feedback. */
  readonly baseConfidence: number;
  readonly positives: number;
  readonly negatives: number;
  /** The latest feedback in free words. */
  readonly feedback: string | null;
  /** Fields that a person set: later detections keep them. */
  readonly edited: readonly PatternField[];
  readonly isActive: boolean;
  readonly metadata: Metadata | null;
  /** The memory from which its words are taken. */
  readonly wordedBy: string | null;
  readonly firstSeen: EpochMs;
  readonly lastSeen: EpochMs;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
  /** Number of live memories that show it. */
  readonly occurrences: number;
  /** Ids of the latest of them, at most `evidenceShownMax`. */
  readonly evidence: readonly string[];
}

/** A pattern without the ids of its memories: enough to choose among many. */
export type PatternSummary = Omit<Pattern, 'evidence'>;

/** Whether one memory is enough to act by it: the user states it. */
const isStatedOutright = ({ type, owner }: Pick<Pattern, 'type' | 'owner'>): boolean =>
  type === 'rule' || type === 'correction' || (type === 'preference' && owner === 'user');

/** Seen once, not stated or confirmed: listed, but not an instruction yet. */
export function isPending(pattern: PatternSummary): boolean {
  const { occurrences, edited, positives } = pattern;
  return occurrences < 2 && edited.length === 0 && positives === 0 && !isStatedOutright(pattern);
}

export type PatternSource = 'learned' | 'explicit' | 'manual';

/** `manual` if a person edited it, `explicit` if memories state it, `learned` if it was only seen to recur. */
export function patternSource(pattern: Pick<Pattern, 'type' | 'owner' | 'edited'>): PatternSource {
  if (pattern.edited.length > 0) return 'manual';
  return isStatedOutright(pattern) ? 'explicit' : 'learned';
}

/** One user's *visible* patterns: those that a live memory shows or a person edited. */
export interface PatternReader {
  /** Ids by falling confidence, then by last sighting, the latest first. */
  listIds(page: PageRequest): Promise<Page<string>>;
  /** In the order of `ids`; undefined for one that is not visible. */
  findMany(ids: readonly string[]): Promise<(Pattern | undefined)[]>;
  /** All, in the order of `listIds`, at most `patternsMax`; their memories are counted, not read. */
  listSummaries(): Promise<PatternSummary[]>;
  /** Ids of the patterns that at least one of these live memories shows. */
  listShownBy(memoryIds: readonly string[]): Promise<Set<string>>;
  find(id: string): Promise<Pattern | undefined>;
  /** Times at which live memories showed these patterns, at most `evidenceMax` of each. */
  sightings(patternIds: readonly string[]): AsyncIterable<Sighting>;
  /** By id, beginning after `id`. */
  listAfter(id: string, limit: number): Promise<Pattern[]>;
}

export interface PatternWriter extends PatternReader {
  /** Patterns with these keys, visible or not; `occurrences` and `evidence` count live memories only. */
  findByKeys(keys: readonly string[]): Promise<Pattern[]>;
  /** Number of all patterns, visible or not. */
  countStored(): Promise<number>;
  /** The evidence must be memories of the user. */
  insert(pattern: Pattern, evidence: readonly PatternEvidence[]): Promise<void>;
  replace(pattern: Pattern): Promise<void>;
  /** Those of these memories, live or not, that show a pattern of these types. */
  showing(memoryIds: readonly string[], types: readonly PatternType[]): Promise<ReadonlySet<string>>;
  /** These memories show no pattern of these types any more. */
  removeEvidence(memoryIds: readonly string[], types: readonly PatternType[]): Promise<void>;
  /** Adds memories that show a pattern; the oldest beyond `evidenceMax` are removed. */
  addEvidence(id: string, evidence: readonly PatternEvidence[]): Promise<void>;
}

/** A time at which a live memory showed a pattern. */
export interface Sighting {
  readonly patternId: string;
  readonly at: EpochMs;
}
