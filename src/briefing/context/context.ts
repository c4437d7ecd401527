import type { EpochMs } from '../../domain/shared/time.ts';
import type { ScopeKey } from '../../search-index/memory-filter.ts';
import { readableText } from '../text/readable.ts';

export const sectionNames = [
  'activeWork',
  'relevantMemories',
  'relevantFacts',
  'open',
  'recentActivity',
  'relatedPatterns',
] as const;

/** Deadline of each section; the client gets the others in time. */
export const sectionDeadlineMs = 5000;
export const recentHoursDefault = 24;

export interface ContextRequest {
  /** Description of the task. */
  readonly context: string;
  /** Paths to be touched. */
  readonly files: readonly string[];
  readonly recentHours: number;
  readonly scope?: Readonly<Partial<Record<ScopeKey, string>>>;
  /** Tokens of o200k that the JSON of the sections may have. */
  readonly tokenBudget: number;
  /** A section that takes longer is left out. */
  readonly deadlineMs: number;
  /** Receives the names of failed sections. */
  readonly onFailure: (section: string, error: unknown) => void;
}

export interface ActiveWork {
  readonly conversationId: string;
  readonly title: string | null;
  readonly lastActivity: EpochMs;
  readonly lastMemory: { readonly id: string; readonly summary: string };
}

export interface ContextMemory {
  readonly id: string;
  /** `doc` of the memory's version. */
  readonly doc: number;
  readonly conversationId: string;
  readonly content: string;
  /** Start of the best passage of a long text, whose content is only passages of it. */
  readonly from?: number;
  /** Whether `content` is the sentence that fits best, because the whole does not fit into the budget. */
  readonly isShortened?: boolean;
  readonly at: EpochMs;
  /** 0 to 1: that of the search for the task or for a file that it names. */
  readonly relevance: number;
  /** A problem or task that is not resolved. */
  readonly isOpen: boolean;
  /** Id of the memory that replaces it or a part of it; before it, if both are in the context. */
  readonly newer?: string;
  /** Files of the request that the memory names, wholly or by a part of the name. */
  readonly files: readonly string[];
}

export interface ContextFact {
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  readonly confidence: number;
  readonly sourceMemoryId: string;
}

/** A fact stated by two or more memories. */
export interface Gotcha {
  readonly fact: string;
  readonly sourceMemories: readonly string[];
  readonly lastSeen: EpochMs;
}

export interface Activity {
  readonly id: string;
  readonly summary: string;
  readonly at: EpochMs;
  readonly conversationId: string;
}

export interface ContextPattern {
  readonly pattern: string;
  readonly confidence: number;
}

export interface BuiltContext {
  readonly activeWork: ActiveWork | null;
  readonly relevantMemories: readonly ContextMemory[];
  readonly relevantFacts: readonly ContextFact[];
  readonly gotchas: readonly Gotcha[];
  /** Open ends about the task that are not among the memories. */
  readonly open: readonly Activity[];
  readonly recentActivity: readonly Activity[];
  readonly relatedPatterns: readonly ContextPattern[];
  /** Tokens of the sections as JSON, at most the budget. */
  readonly tokens: number;
  readonly contextTerms: readonly string[];
  /** See `Search`. */
  readonly relevanceFloor: number;
  /** Number of items of each section that were found and did not fit into the budget; absent: 0. */
  readonly omitted: Readonly<Partial<Record<(typeof sectionNames)[number] | 'gotchas', number>>>;
  readonly timedOutSections: readonly string[];
  readonly failedSections: readonly string[];
}

const summaryLengthMax = 200;
const summarizedLengthMax = 2000;

/** The beginning of a text on one line, without lines for tools: at most 200 UTF-16 units. */
export function summaryOf(content: string): string {
  const line = readableText(content.slice(0, summarizedLengthMax)).replace(/\s+/g, ' ').trim();
  if (line.length <= summaryLengthMax) return line;
  return `${line.slice(0, summaryLengthMax - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
