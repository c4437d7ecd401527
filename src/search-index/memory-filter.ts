import type { EffectiveState, MemoryType, Outcome, Role } from '../domain/memories/memory.ts';
import type { MetadataValue } from '../domain/memories/metadata.ts';
import type { EpochMs } from '../domain/shared/time.ts';
import type { Author } from '../domain/shared/user-ref.ts';

export const scopeKeys = ['product', 'service', 'team', 'role'] as const;
export type ScopeKey = (typeof scopeKeys)[number];

/** A value that metadata must have under a path: names of nested members joined by dots. */
export interface MetadataTest {
  readonly path: string;
  readonly values: readonly MetadataValue[];
}

/** Filter of memories that may be returned. Absent members let everything pass; all ranges are inclusive. */
export interface MemoryFilter {
  /** Any of these topics (normalised comparison). */
  readonly topics?: readonly string[];
  /** None of these topics. */
  readonly excludeTopics?: readonly string[];
  readonly memoryType?: MemoryType;
  /** Needs `includeSuperseded` for states that a search hides. */
  readonly effectiveState?: EffectiveState;
  readonly conversationId?: string;
  /** Mentions this entity, by any of its names or those of entities merged into it. */
  readonly entityId?: string;
  readonly role?: Role;
  /** Id of the key that wrote the version. */
  readonly createdBy?: string;
  /** The door, the program and the MCP tool by which the version came. */
  readonly via?: Author['via'];
  readonly agent?: string;
  readonly tool?: string;
  readonly createdFrom?: EpochMs;
  readonly createdTo?: EpochMs;
  /** Event time, or ingestion time if a memory has none. */
  readonly eventFrom?: EpochMs;
  readonly eventTo?: EpochMs;
  /** Every pair must equal that of the memory's codeContext. */
  readonly scope?: Readonly<Partial<Record<ScopeKey, string>>>;
  /** All of these, each satisfied by any of its values. */
  readonly metadata?: readonly MetadataTest[];
  readonly taskId?: string;
  readonly externalId?: string;
  readonly outcome?: Outcome | 'any';
  /** At least 6 characters of the id. */
  readonly idPrefix?: string;
  /** Memories as they stood at this time; absent: as they are. */
  readonly asOf?: EpochMs;
  /** Only memories valid at this time. */
  readonly validAt?: EpochMs;
  /** Excludes memories no longer valid at this time, and those that become valid later (`validFrom`). */
  readonly currentAt?: EpochMs;
  /** False hides superseded and contradicted memories. */
  readonly includeSuperseded: boolean;
}
