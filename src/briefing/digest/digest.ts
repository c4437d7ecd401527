import type { Conversation } from '../../domain/conversations/conversation.ts';
import type { Memory } from '../../domain/memories/memory.ts';
import type { FactWords } from '../../domain/shared/text-indexer.ts';
import type { EpochMs } from '../../domain/shared/time.ts';
import type { BranchFailure } from '../../search/request.ts';
import type { Statement } from '../text/statements.ts';

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
  /** Relevance relative to the best source of this digest, 0 to 1. */
  readonly relevance: number;
  readonly conversation: Pick<Conversation, 'id' | 'title'> | undefined;
  readonly terms: ReadonlySet<string>;
  /** Same as `relevance`. */
  readonly score: number;
}

/** A source superseded or contradicted by another memory. */
export interface Change {
  readonly kind: 'SUPERSEDES' | 'CONTRADICTS';
  readonly earlier: DigestSource;
  readonly later: DigestSource;
}

export interface ScoredStatement extends Statement {
  readonly score: number;
}

/** All inputs of the text of a digest. */
export interface DigestMaterial {
  readonly query: string;
  readonly sources: readonly DigestSource[];
  readonly changes: readonly Change[];
  readonly listsIds: boolean;
  /** Best first. */
  readonly statements: readonly ScoredStatement[];
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
  /** Set if prose of an LLM was requested. */
  readonly prose?: WordedBy;
  readonly sources: readonly DigestSource[];
  /** Number of all memories that match. */
  readonly considered: number;
  readonly keyFacts: readonly KeyFact[];
  readonly entities: readonly KeyEntity[];
  readonly branchFailures: readonly BranchFailure[];
  /** True if matches were left out because a page of records was full in bytes. */
  readonly isCut: boolean;
}
