import type { Page, PageRequest } from '../shared/page.ts';
import type { Sighting } from './analyze-patterns.ts';
import type { Evidence, Pattern, PatternSummary } from './pattern.ts';

/** Reads of one user's patterns: those that a live memory shows, and those that a person edited. */
export interface PatternReader {
  /** Ids, the surest first, then the last seen. */
  listIds(page: PageRequest): Promise<Page<string>>;
  /** Patterns with these ids, in their order; undefined for one that is not seen. */
  findMany(ids: readonly string[]): Promise<(Pattern | undefined)[]>;
  /** All that are seen, at most `patternsMax`, in the order of `listIds`; their memories are counted, and not read. */
  listSummaries(): Promise<PatternSummary[]>;
  /** Ids of the patterns that one of these live memories shows; the list may be empty. */
  listShownBy(memoryIds: readonly string[]): Promise<Set<string>>;
  find(id: string): Promise<Pattern | undefined>;
  /** When live memories showed these patterns, at most `evidenceMax` of each. */
  sightings(patternIds: readonly string[]): AsyncIterable<Sighting>;
  /** In order of id, from the first after `id` on. */
  listAfter(id: string, limit: number): Promise<Pattern[]>;
}

export interface PatternWriter extends PatternReader {
  /** Those with these keys, also where no live memory shows them; `occurrences` and `evidence` count live ones. */
  findByKeys(keys: readonly string[]): Promise<Pattern[]>;
  /** All there are, those that are not seen included. */
  countStored(): Promise<number>;
  /** The evidence must be memories of the user. */
  insert(pattern: Pattern, evidence: readonly Evidence[]): Promise<void>;
  replace(pattern: Pattern): Promise<void>;
  /** Adds to what shows a pattern; the oldest beyond `evidenceMax` go. */
  addEvidence(id: string, evidence: readonly Evidence[]): Promise<void>;
}
