import type { Memory } from '../memories/memory.ts';
import type { Page, PageRequest } from '../shared/page.ts';
import type { EpochMs } from '../shared/time.ts';
import type { UserRef } from '../shared/user-ref.ts';

/** Kinds of records that can lie in the trash; each has a handler (`trash-handlers.ts`). */
export const trashKinds = [
  'memory',
  'conversation',
  'fact',
  'artifact',
  'narrative',
  'topic-merge',
  'community-merge',
  'entity',
  'entity-merge',
] as const;
export type TrashKind = (typeof trashKinds)[number];

/** Maximum length of a title in UTF-16 units; the longest one is that of a merge, which has two names. */
export const trashTitleLengthMax = 2000;

/** Number of records by kind: `{memories: 3, conversations: 1}`. */
export type TrashCounts = Readonly<Record<string, number>>;

export interface NewTrashEntry {
  readonly kind: TrashKind;
  readonly recordId: string;
  /** Title of the record, or the beginning of its text. */
  readonly title: string;
  readonly counts: TrashCounts;
  /** JSON that the kind's handler needs in addition to the rows, which all stay. */
  readonly payload?: unknown;
}

/** One deleted record; a conversation and the memories deleted with it are a single entry. */
export interface TrashEntry extends NewTrashEntry {
  readonly id: string;
  readonly deletedAt: EpochMs;
  /** The user's revision at the delete: records written later have a higher `seq`. */
  readonly rev: number;
  /** Start of erasing: from then on the entry cannot be restored, and it disappears when erasing finishes. */
  readonly erasedAt: EpochMs | null;
}

export function addCounts(a: TrashCounts, b: TrashCounts): TrashCounts {
  const sum: Record<string, number> = { ...a };
  for (const [kind, count] of Object.entries(b)) sum[kind] = (sum[kind] ?? 0) + count;
  return sum;
}

export interface TrashListQuery extends PageRequest {
  readonly kind?: TrashKind;
  /** Id of the deleted record. */
  readonly recordId?: string;
}

/**
 * Step of moving a conversation to or from the trash in many transactions: its memories are
 * marked as deleted, or marked as live, and then get their resulting states and topics.
 */
export type MoveStep = 'trashing' | 'restoring' | 'completing';

/** A conversation that is being moved to or from the trash: its memories are hidden. */
export interface ConversationMove {
  readonly entryId: string;
  readonly conversationId: string;
  readonly deletedAt: EpochMs;
  /** `rev` of the entry: no memory of the conversation has a higher `seq`. */
  readonly rev: number;
  readonly step: MoveStep;
  /** Memories up to this `seq` have passed the step. */
  readonly movedTo: number;
}

/** Reads of one user's trash. */
export interface TrashReader {
  /** The entry with this id, also if its erasing has begun. */
  find(id: string): Promise<TrashEntry | undefined>;
  /** The conversation that is being moved; at most one. */
  findMove(): Promise<ConversationMove | undefined>;
  /** Entries that can be restored, the last deleted first. */
  list(query: TrashListQuery): Promise<Page<TrashEntry>>;
  /** Entries deleted at or before `deletedUntil`, and those whose erasing has begun; the oldest first. */
  due(deletedUntil: EpochMs, limit: number): Promise<string[]>;
}

export interface TrashWriter extends TrashReader {
  /** Must be called in the transaction of the delete, after the record is marked. @returns the id of the entry */
  insert(entry: NewTrashEntry, at: EpochMs): Promise<string>;
  /**
   * Hides the memories of an entry's conversation and begins a step with the first of them.
   * @param hiddenMemories number of these not marked as deleted; undefined leaves it unchanged
   */
  startMove(id: string, step: MoveStep, hiddenMemories?: number): Promise<void>;
  /** @param hiddenMemories added to the number of hidden memories */
  advanceMove(id: string, movedTo: number, hiddenMemories: number): Promise<void>;
  /** Makes memories that are not marked as deleted visible again. */
  endMove(id: string): Promise<void>;
  /** The entry of a record that can be restored. */
  findByRecord(kind: TrashKind, recordId: string): Promise<TrashEntry | undefined>;
  /** From then on the entry can only be erased. */
  beginErasing(id: string, at: EpochMs): Promise<void>;
  /** Removes all data of the record from the entry, once nothing else of the record is left. */
  blank(id: string): Promise<void>;
  remove(id: string): Promise<void>;
}

export interface ErasedStep {
  /** False if nothing is left of the record. */
  readonly more: boolean;
  readonly conversationId?: string;
  /** Versions that this step erased; call `forgetTerms` with their terms in the same transaction. */
  readonly versions: readonly Memory[];
}

/**
 * Erases memories permanently, with their documents in the keyword index, in bounded steps.
 * Each step increases the user's epoch, so that processes discard their caches of the user.
 */
export interface RecordEraser {
  /**
   * Erases at most 64 versions of a memory in the trash. With the last version it erases everything
   * that refers to the memory, including its artifacts and facts without another source.
   */
  memory(id: string): Promise<ErasedStep>;
  /** Like `memory`, for the memories of a conversation in the trash, including those deleted before it. */
  conversation(id: string): Promise<ErasedStep>;
  /** Removes terms from the vocabulary that no memory of the user contains any more. */
  forgetTerms(terms: readonly string[]): Promise<void>;
}

/** Called by services after a delete is committed. */
export type AfterDelete = (user: UserRef) => Promise<void>;

/** The trash of all users, and the remains of erased text in files. */
export interface TrashBins {
  /** At most `limit` users with an entry that `TrashReader.due` lists. */
  usersWithDue(deletedUntil: EpochMs, limit: number): Promise<UserRef[]>;
  /**
   * Resolves when the store's files contain no text of rows of
   * the user that were deleted before this call. Writers wait for short steps only.
   * @throws 503 STORAGE_UNAVAILABLE if another process prevents it
   */
  scrub(user: UserRef): Promise<void>;
}
