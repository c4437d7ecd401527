import type { Conversation } from '../../domain/conversations/conversation.ts';
import type { EntityOfMemory } from '../../domain/entities/entity.ts';
import type { Memory } from '../../domain/memories/memory.ts';
import type { Passage } from '../../domain/passages/passages.ts';
import type { FactWords } from '../../domain/shared/text-indexer.ts';
import type { EpochMs } from '../../domain/shared/time.ts';
import type { BranchFailure } from '../../search/request.ts';
import type { Statement } from '../text/statements.ts';
import type { Progress } from './progress.ts';

export const digestFormats = ['structured', 'narrative', 'timeline', 'status-report'] as const;
export type DigestFormat = (typeof digestFormats)[number];

/** Author of the narrative: `offline` (statements word for word), or the configured LLM. */
export const digestProse = ['offline', 'llm'] as const;
type DigestProse = (typeof digestProse)[number];

export const maxSourcesDefault = 100;
export const maxSourcesMax = 500;
export const conversationIdsMax = 10;

export interface DigestRequest {
  readonly query: string;
  readonly format: DigestFormat;
  /** 1 to 500. */
  readonly maxSources: number;
  /** Lower bound of the creation time, inclusive. */
  readonly from?: EpochMs;
  /** Filter: any of these. */
  readonly topics?: readonly string[];
  /** Filter: any of these, at most `conversationIdsMax`. */
  readonly conversationIds?: readonly string[];
  /** Maximum length of the digest, in tokens of o200k. */
  readonly tokenBudget: number;
  /** Whether the text ends with the ids behind the numbers. */
  readonly listsIds: boolean;
  /** `offline` if undefined. */
  readonly prose?: DigestProse;
  /** Aborts the work with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** A source of a digest. */
export interface DigestSource {
  /** From 1; the citation number in the digest. */
  readonly number: number;
  readonly memory: Memory;
  /** Of a long text, of which the content of `memory` has only these. */
  readonly passages?: readonly Passage[];
  /** Relevance in the search, 0 to 1; 1 for a source chosen by a filter or a time alone. */
  readonly relevance: number;
  readonly conversation: Pick<Conversation, 'id' | 'title'> | undefined;
  /** Score in the search relative to the best source, 0 to 1. */
  readonly score: number;
  /** In a status report: the state of the task that it tells of. */
  readonly progress?: Progress;
}

export type ChangeKind = 'SUPERSEDES' | 'CONTRADICTS' | 'RESOLVES';

/** A source that a later one supersedes, contradicts or resolves. */
export interface Change {
  readonly kind: ChangeKind;
  readonly earlier: DigestSource;
  readonly later: DigestSource;
}

export interface ScoredStatement extends Statement {
  readonly score: number;
  /** Numbers of the other sources that say it, rising. */
  readonly also: readonly number[];
}

/** All inputs of the text of a digest. */
export interface DigestMaterial {
  readonly query: string;
  readonly sources: readonly DigestSource[];
  readonly changes: readonly Change[];
  readonly listsIds: boolean;
  /** Best first. */
  readonly statements: readonly ScoredStatement[];
  /** Names that each source mentions, by its number: for headings. */
  readonly names: ReadonlyMap<number, readonly EntityOfMemory[]>;
}

export interface KeyFact extends FactWords {
  readonly confidence: number;
  /** Number of sources that say it. */
  readonly mentions: number;
}

export interface KeyEntity {
  readonly name: string;
  readonly type: string;
  /** Number of sources that mention it. */
  readonly mentions: number;
}

/** Author of a digest, and the reason if it is not the requested LLM. */
export interface WordedBy {
  readonly by: DigestProse;
  readonly reason?: string;
}

export interface Digest {
  /** Markdown. */
  readonly text: string;
  /** Tokens of `text`. */
  readonly tokens: number;
  /** Number of statements that were chosen and did not fit into the budget. */
  readonly omitted: number;
  /** Set if prose of an LLM was requested. */
  readonly prose?: WordedBy;
  /** The sources that the text cites, numbered from 1, best first. */
  readonly sources: readonly DigestSource[];
  /** Number of all memories that match. */
  readonly considered: number;
  /** See `Search`. */
  readonly relevanceFloor: number;
  readonly keyFacts: readonly KeyFact[];
  readonly entities: readonly KeyEntity[];
  readonly branchFailures: readonly BranchFailure[];
  /** True if matches were left out because a page of records was full in bytes. */
  readonly isCut: boolean;
}
