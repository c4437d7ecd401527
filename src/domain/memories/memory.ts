import type { EpochMs } from '../shared/time.ts';
import type { Author } from '../shared/user-ref.ts';
import { type Metadata, metadataBytesMax } from './metadata.ts';

export const memoryTypes = ['episodic', 'semantic', 'procedural'] as const;
export type MemoryType = (typeof memoryTypes)[number];

export const roles = ['user', 'assistant', 'system'] as const;
export type Role = (typeof roles)[number];

export const effectiveStates = ['current', 'superseded', 'contradicted', 'duplicate'] as const;
export type EffectiveState = (typeof effectiveStates)[number];

/** Whether another memory replaces or contradicts it: searches and briefings leave it out by default. */
export const isOutdated = (state: EffectiveState) => state === 'superseded' || state === 'contradicted';

/**
 * A part of a memory that a newer memory, `by`, replaces; the rest still holds. Offsets in `content`, in UTF-16
 * units.
 */
export interface OutdatedPart {
  readonly start: number;
  readonly end: number;
  readonly by: string;
}

export const outcomes = ['resolved', 'unresolved'] as const;
export type Outcome = (typeof outcomes)[number];

/** Place of a memory in a body of code; each value has at most 200 characters. */
export interface CodeContext {
  readonly product?: string;
  readonly repo?: string;
  readonly service?: string;
  readonly component?: string;
  readonly team?: string;
  readonly role?: string;
  readonly extra?: Readonly<Record<string, string>>;
}

/** The fields of a memory that a client can state. `null` means not stated. */
export interface MemoryContent {
  readonly content: string;
  readonly memoryType: MemoryType;
  readonly memoryTypeUserSet: boolean;
  readonly name: string | null;
  readonly role: Role | null;
  readonly context: string | null;
  /** Names as the user wrote them, without duplicates. */
  readonly topics: readonly string[];
  readonly eventTime: EpochMs | null;
  readonly validFrom: EpochMs | null;
  readonly validTo: EpochMs | null;
  readonly codeContext: CodeContext | null;
  readonly metadata: Metadata | null;
  readonly taskId: string | null;
  readonly outcome: Outcome | null;
  readonly importance: number | null;
}

/** A version of a memory: its state from `openedAt` until its next version. */
export interface Memory extends MemoryContent {
  readonly id: string;
  /** Position in the user's order of writing: unique and increasing per user. */
  readonly seq: number;
  /** Id of this version, increasing over the whole store; the key of its row in the search indexes. */
  readonly doc: number;
  /** The user's change counter when this version was written; its ETag. */
  readonly rev: number;
  readonly conversationId: string;
  readonly sessionId: string;
  /** Id in another system, unique per user; the same in all versions. */
  readonly externalId: string | null;
  /** The chain of versions of a named memory, and this memory's number in it, from 1. */
  readonly chainId: string | null;
  readonly chainVersion: number | null;
  readonly effectiveState: EffectiveState;
  /** In order of `start`; null if no part is outdated. */
  readonly outdatedParts: readonly OutdatedPart[] | null;
  /** Who wrote this version; a change of its state alone keeps the author. Null if it was no request with a key. */
  readonly createdBy: Author | null;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
}

/** A memory with an external id. */
export interface KnownMemory {
  readonly memory: Memory;
  /** Whether it is in the trash. */
  readonly isTrashed: boolean;
}

/** A memory about to be written; the store adds the numbers. */
export type NewMemory = Omit<Memory, 'seq' | 'doc' | 'rev'>;

/**
 * The fields of a memory or version that a client can state. They are listed, because a spread of so many fields
 * takes longer than a statement.
 */
export const contentOf = (memory: MemoryContent): MemoryContent => ({
  content: memory.content,
  memoryType: memory.memoryType,
  memoryTypeUserSet: memory.memoryTypeUserSet,
  name: memory.name,
  role: memory.role,
  context: memory.context,
  topics: memory.topics,
  eventTime: memory.eventTime,
  validFrom: memory.validFrom,
  validTo: memory.validTo,
  codeContext: memory.codeContext,
  metadata: memory.metadata,
  taskId: memory.taskId,
  outcome: memory.outcome,
  importance: memory.importance,
});

/** A new memory with this content and the current names of its topics. */
export const toNewMemory = (
  content: MemoryContent,
  rest: Omit<NewMemory, Exclude<keyof MemoryContent, 'topics'>>,
): NewMemory => Object.assign(contentOf(content), rest);

/** The time that orders memories within a conversation; ties are broken by `seq`. */
export function orderTime(memory: Pick<Memory, 'eventTime' | 'createdAt'>): EpochMs {
  return memory.eventTime ?? memory.createdAt;
}

export const isBefore = (a: Memory, b: Memory) => (orderTime(a) - orderTime(b) || a.seq - b.seq) < 0;

/** All limits on a memory. Lengths are UTF-16 units, as JavaScript clients count. */
export const contentLengthMax = 50_000;
export const appendSeparatorLengthMax = 100;
export const contextLengthMax = 200;
export const topicsMax = 50;
export const topicLengthMax = 100;
export const taskIdLengthMax = 200;
export const sessionKeyLengthMax = 200;
export const codeContextValueLengthMax = 200;
export const codeContextExtraLengthMax = 500;
export const codeContextExtraMax = 50;
/** Maximum length of any record's id in a request. */
export const idLengthMax = 200;
export const bulkIdsMax = 100;
export const batchIdLengthMax = 200;
export const idPrefixLengthMin = 6;
export const namePattern = '^[a-z0-9][a-z0-9-]{0,62}[a-z0-9]$';
export const nameRule =
  'must be 2 to 64 lower-case letters, digits and dashes, starting and ending with a letter or digit';

/** The maximum for a UTF-16 unit: `\u0001` takes six bytes. */
const bytesPerUnit = 6;
/** Names of fields, ids and times, including an external id of 200 units. */
const plainBytes = 2400;
/**
 * Six values of 200 units, and fifty entries with names and
 * values of at most 700 units together, plus punctuation.
 */
const codeContextUnits = 55_000;

/** Upper bound of a memory's bytes as JSON. */
export function jsonBytesMax({
  content,
  context,
  name,
  taskId,
  topics,
  codeContext,
  metadata,
}: Memory): number {
  let units = content.length + (context?.length ?? 0) + (name?.length ?? 0) + (taskId?.length ?? 0);
  for (const topic of topics) units += topic.length + 3;
  if (codeContext !== null) units += codeContextUnits;
  const metadataBytes = metadata === null ? 0 : metadataBytesMax;
  return plainBytes + metadataBytes + units * bytesPerUnit;
}
