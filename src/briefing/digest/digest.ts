import type { Conversation } from '../../domain/conversations/conversation.ts';
import type { FactWords } from '../../domain/facts/fact.ts';
import type { Memory } from '../../domain/memories/memory.ts';
import type { EpochMs } from '../../domain/shared/time.ts';
import type { BranchFailure } from '../../retrieval/request.ts';
import type { Statement } from '../text/statements.ts';

export const digestFormats = ['structured', 'narrative', 'timeline', 'status-report'] as const;
export type DigestFormat = (typeof digestFormats)[number];

/** Who words a narrative: nobody (statements word for word), or the LLM that is configured. */
export const digestProse = ['offline', 'llm'] as const;
export type DigestProse = (typeof digestProse)[number];

export const maxSourcesDefault = 100;
export const maxSourcesMax = 500;
export const conversationIdsMax = 10;

export interface DigestRequest {
  readonly query: string;
  readonly format: DigestFormat;
  /** 1 to 500. */
  readonly maxSources: number;
  /** Only what was written at this time or later. */
  readonly from?: EpochMs;
  /** Any of these. */
  readonly topics?: readonly string[];
  /** Any of these; at most `conversationIdsMax`. */
  readonly conversationIds?: readonly string[];
  /** The digest has at most so many tokens of o200k. */
  readonly tokenBudget: number;
  /** Whether the text ends with the ids behind the numbers. */
  readonly listsIds: boolean;
  /** `offline` where it is absent. */
  readonly prose?: DigestProse;
  /** The work ends, with the reason of the signal, when it fires. */
  readonly signal?: AbortSignal;
}

/** A memory that a digest is made of. */
export interface DigestSource {
  /** From 1; what the digest names it by. */
  readonly number: number;
  readonly memory: Memory;
  /** 0 to 1, of the best source of this digest. */
  readonly relevance: number;
  readonly conversation: Pick<Conversation, 'id' | 'title'> | undefined;
  readonly terms: ReadonlySet<string>;
  /** As `relevance`. */
  readonly score: number;
}

/** A source that another memory supersedes or contradicts. */
export interface Change {
  readonly kind: 'SUPERSEDES' | 'CONTRADICTS';
  readonly earlier: DigestSource;
  readonly later: DigestSource;
}

export interface ScoredStatement extends Statement {
  readonly score: number;
}

/** All that the text of a digest is written from. */
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
  /** Sources that say it. */
  readonly mentions: number;
}

export interface KeyEntity {
  readonly name: string;
  readonly type: string;
  /** Sources that mention it. */
  readonly mentions: number;
}

/** Who worded a digest, and why not the LLM that was asked for. */
export interface WordedBy {
  readonly by: DigestProse;
  readonly reason?: string;
}

export interface Digest {
  /** Markdown. */
  readonly text: string;
  /** Where the prose of an LLM was asked for. */
  readonly prose?: WordedBy;
  readonly sources: readonly DigestSource[];
  /** All memories that match. */
  readonly considered: number;
  readonly keyFacts: readonly KeyFact[];
  readonly entities: readonly KeyEntity[];
  readonly branchFailures: readonly BranchFailure[];
  /** True where matches were left out because a page of records was full in bytes. */
  readonly isCut: boolean;
}
