import type {
  CodeContext,
  EffectiveState,
  Memory,
  MemoryType,
  Outcome,
  Role,
} from '../../../domain/memories/memory.ts';
import type { NewMemory } from '../../../domain/memories/memory-store.ts';
import type { Metadata } from '../../../domain/memories/metadata.ts';
import type { IndexedDocument } from '../../../domain/shared/text-indexer.ts';
import type { MemoriesTable, MemoryVersionsTable } from '../core/schema.ts';

export const versionColumns = [
  'memory_versions.doc',
  'memory_versions.rev',
  'memory_versions.content',
  'memory_versions.memory_type',
  'memory_versions.memory_type_user_set',
  'memory_versions.name',
  'memory_versions.role',
  'memory_versions.context',
  'memory_versions.topics',
  'memory_versions.event_time',
  'memory_versions.valid_from',
  'memory_versions.valid_to',
  'memory_versions.code_context',
  'memory_versions.metadata',
  'memory_versions.task_id',
  'memory_versions.outcome',
  'memory_versions.importance',
  'memory_versions.effective_state',
  'memory_versions.updated_at',
] as const;

export const identityColumns = [
  'memories.id',
  'memories.seq',
  'memories.conversation_id',
  'memories.session_id',
  'memories.chain_id',
  'memories.chain_version',
  'memories.created_at',
  'memories.external_id',
] as const;

type Unqualified<S> = S extends `${string}.${infer C}` ? C : never;
export type MemoryRow = Pick<
  MemoryVersionsTable,
  Unqualified<(typeof versionColumns)[number]> & keyof MemoryVersionsTable
> &
  Pick<MemoriesTable, Unqualified<(typeof identityColumns)[number]> & keyof MemoriesTable>;

function fromJson<T>(text: string | null): T | null {
  return text === null ? null : (JSON.parse(text) as T);
}

export function toMemory(row: MemoryRow): Memory {
  return {
    id: row.id,
    seq: row.seq,
    doc: row.doc,
    rev: row.rev,
    content: row.content,
    memoryType: row.memory_type as MemoryType,
    memoryTypeUserSet: row.memory_type_user_set === 1,
    name: row.name,
    role: row.role as Role | null,
    context: row.context,
    topics: row.topics === '[]' ? [] : (JSON.parse(row.topics) as string[]),
    conversationId: row.conversation_id,
    sessionId: row.session_id,
    externalId: row.external_id,
    chainId: row.chain_id,
    chainVersion: row.chain_version,
    eventTime: row.event_time,
    validFrom: row.valid_from,
    validTo: row.valid_to,
    codeContext: fromJson<CodeContext>(row.code_context),
    metadata: fromJson<Metadata>(row.metadata),
    taskId: row.task_id,
    outcome: row.outcome as Outcome | null,
    importance: row.importance,
    effectiveState: row.effective_state as EffectiveState,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export interface VersionPlace {
  /** Of the memory. */
  readonly seq: number;
  readonly doc: number;
  readonly rev: number;
  readonly openedAt: number;
}

/** The row of a new open version of `memory`. */
export function toVersionRow(
  memory: NewMemory,
  document: IndexedDocument,
  place: VersionPlace,
): Omit<MemoryVersionsTable, 'user_id'> {
  return {
    doc: place.doc,
    memory_seq: place.seq,
    rev: place.rev,
    opened_at: place.openedAt,
    closed_at: null,
    trashed: 0,
    content: memory.content,
    memory_type: memory.memoryType,
    memory_type_user_set: memory.memoryTypeUserSet ? 1 : 0,
    name: memory.name,
    role: memory.role,
    context: memory.context,
    topics: memory.topics.length === 0 ? '[]' : JSON.stringify(memory.topics),
    event_time: memory.eventTime,
    valid_from: memory.validFrom,
    valid_to: memory.validTo,
    code_context: memory.codeContext === null ? null : JSON.stringify(memory.codeContext),
    metadata: memory.metadata === null ? null : JSON.stringify(memory.metadata),
    task_id: memory.taskId,
    outcome: memory.outcome,
    importance: memory.importance,
    effective_state: memory.effectiveState,
    updated_at: memory.updatedAt,
    term_count: document.terms.length,
    traits: document.traits,
    speaker: document.speaker,
    metadata_keys: document.metadataKeys,
  };
}
