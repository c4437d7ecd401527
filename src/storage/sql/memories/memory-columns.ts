import type { Memory, NewMemory } from '../../../domain/memories/memory.ts';
import type { VersionNumbers } from '../../../domain/memories/memory-store.ts';
import { type Columns, RecordColumns, type RowOf } from '../core/record-columns.ts';

const newMemoryColumns = {
  id: 'memories.id',
  content: 'memory_versions.content',
  memoryType: 'memory_versions.memory_type',
  memoryTypeUserSet: { flag: 'memory_versions.memory_type_user_set' },
  name: 'memory_versions.name',
  role: 'memory_versions.role',
  context: 'memory_versions.context',
  topics: { json: 'memory_versions.topics' },
  conversationId: 'memories.conversation_id',
  sessionId: 'memories.session_id',
  externalId: 'memories.external_id',
  chainId: 'memories.chain_id',
  chainVersion: 'memories.chain_version',
  eventTime: 'memory_versions.event_time',
  validFrom: 'memory_versions.valid_from',
  validTo: 'memory_versions.valid_to',
  codeContext: { json: 'memory_versions.code_context' },
  metadata: { json: 'memory_versions.metadata' },
  taskId: 'memory_versions.task_id',
  outcome: 'memory_versions.outcome',
  importance: 'memory_versions.importance',
  effectiveState: 'memory_versions.effective_state',
  outdatedParts: { json: 'memory_versions.outdated_parts' },
  createdBy: { json: 'memory_versions.created_by' },
  createdAt: 'memories.created_at',
  updatedAt: 'memory_versions.updated_at',
} as const satisfies Columns<NewMemory>;

const numberColumns = {
  seq: 'memories.seq',
  doc: 'memory_versions.doc',
  rev: 'memory_versions.rev',
} as const satisfies Columns<VersionNumbers>;

const memoryColumns = { ...numberColumns, ...newMemoryColumns };

/** Columns of a memory without the numbers that the store assigns. */
export const newMemoryRecord = new RecordColumns<NewMemory, typeof newMemoryColumns>(newMemoryColumns);
export const memoryRecord = new RecordColumns<Memory, typeof memoryColumns>(memoryColumns);

export type MemoryRow = RowOf<typeof memoryColumns>;

/** The memory of a selected row, which becomes the memory. */
export const toMemory = (row: MemoryRow): Memory => memoryRecord.decode(row);
