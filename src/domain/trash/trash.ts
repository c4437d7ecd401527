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

/** In UTF-16 units: above the longest title there is, that of a merge, which has two names. */
export const trashTitleLengthMax = 2000;

/** How many records of which kind: `{memories: 3, conversations: 1}`. */
export type TrashCounts = Readonly<Record<string, number>>;

export interface NewTrashEntry {
  readonly kind: TrashKind;
  readonly recordId: string;
  /** Title of the record, or the beginning of its text, for people. */
  readonly title: string;
  readonly counts: TrashCounts;
  /** JSON that the kind's handler needs in addition to the rows, which all stay. */
  readonly payload?: unknown;
}

/** One deleted record; a conversation and the memories deleted with it are one. */
export interface TrashEntry extends NewTrashEntry {
  readonly id: string;
  readonly deletedAt: EpochMs;
  /** The user's revision when it was deleted: what was written later has a higher `seq`. */
  readonly rev: number;
  /** When erasing it began: it can no longer be restored, and is gone once that is finished. */
  readonly erasedAt: EpochMs | null;
}

export function addCounts(a: TrashCounts, b: TrashCounts): TrashCounts {
  const sum: Record<string, number> = { ...a };
  for (const [kind, count] of Object.entries(b)) sum[kind] = (sum[kind] ?? 0) + count;
  return sum;
}

export interface TrashListQuery extends PageRequest {
  readonly kind?: TrashKind;
}

/**
 * What is done with the memories of a conversation that is moved in many transactions: marked as deleted, or marked as
 * live and then given the states and topics that follow.
 */
export type MoveStep = 'trashing' | 'restoring' | 'completing';

/** A conversation on its way to the trash or from it: its memories are hidden. */
export interface ConversationMove {
  readonly entryId: string;
  readonly conversationId: string;
  readonly deletedAt: EpochMs;
  /** `rev` of the entry: no memory of the conversation has a higher `seq`. */
  readonly rev: number;
  readonly step: MoveStep;
  /** Memories up to this `seq` have been through the step. */
  readonly movedTo: number;
}

/** Reads of one user's trash. */
export interface TrashReader {
  /** The entry with this id, also one whose erasing has begun. */
  find(id: string): Promise<TrashEntry | undefined>;
  /** The conversation that is being moved; there is one at most. */
  findMove(): Promise<ConversationMove | undefined>;
  /** Entries that can be restored, the last deleted first. */
  list(query: TrashListQuery): Promise<Page<TrashEntry>>;
  /** Entries deleted at or before `deletedUntil`, and those whose erasing was begun; the oldest first. */
  due(deletedUntil: EpochMs, limit: number): Promise<string[]>;
}

export interface TrashWriter extends TrashReader {
  /** To be written in the transaction of the delete, after the record is marked. */
  insert(entry: NewTrashEntry, at: EpochMs): Promise<void>;
  /**
   * Hides the memories of the conversation of an entry and begins a step with the first of them.
   * @param hiddenMemories how many of them are not marked as deleted; undefined leaves the number as it is
   */
  startMove(id: string, step: MoveStep, hiddenMemories?: number): Promise<void>;
  /** @param hiddenMemories what to add to the number of those hidden */
  advanceMove(id: string, movedTo: number, hiddenMemories: number): Promise<void>;
  /** Memories that are not marked as deleted are seen from now on. */
  endMove(id: string): Promise<void>;
  /** The entry of a record that can be restored. */
  findByRecord(kind: TrashKind, recordId: string): Promise<TrashEntry | undefined>;
  /** From now on the entry can only be erased. */
  beginErasing(id: string, at: EpochMs): Promise<void>;
  /** Removes everything about the record from the entry, once nothing else is left of it. */
  blank(id: string): Promise<void>;
  remove(id: string): Promise<void>;
}

export interface ErasedStep {
  /** False when nothing is left of the record. */
  readonly more: boolean;
  readonly conversationId?: string;
  /** Versions that this step erased: `forgetTerms` is to be called with their terms, in the same transaction. */
  readonly versions: readonly Memory[];
}

/**
 * Erases memories for good, with their documents in the keyword index, in bounded steps. Each raises the user's
 * epoch, so that processes discard their caches of the user.
 */
export interface RecordEraser {
  /**
   * At most 64 versions of a memory in the trash, and with the last of them all that points to it, facts that only it
   * says and artifacts of it included.
   */
  memory(id: string): Promise<ErasedStep>;
  /** The same for the memories of a conversation in the trash, those that were deleted before it included. */
  conversation(id: string): Promise<ErasedStep>;
  /** Takes terms that no memory of the user contains any more out of the vocabulary. */
  forgetTerms(terms: readonly string[]): Promise<void>;
}

/** Called by services when a delete is committed. */
export type AfterDelete = (user: UserRef) => Promise<void>;

/** The trash of all users, and what erasing leaves in files. */
export interface TrashBins {
  /** Users with something that `TrashReader.due` names, at most `limit`. */
  usersWithDue(deletedUntil: EpochMs, limit: number): Promise<UserRef[]>;
  /**
   * Resolves when the store's files hold no text of rows deleted before this call. Writers wait for short steps only.
   * @throws 503 STORAGE_UNAVAILABLE if another process prevents it
   */
  scrub(): Promise<void>;
}
