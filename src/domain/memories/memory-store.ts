import type { PartsOfVersion } from '../derivation/derivation-store.ts';
import type { Page, PageRequest } from '../shared/page.ts';
import type { IndexedChange, IndexedMemory } from '../shared/text-indexer.ts';
import type { EpochMs } from '../shared/time.ts';
import type { ConversationMove } from '../trash/trash-store.ts';
import type { EffectiveState, Memory, MemoryContent } from './memory.ts';

/** A memory about to be written; the store gives it `seq`, `doc` and `rev`. */
export type NewMemory = Omit<Memory, 'seq' | 'doc' | 'rev'>;

/** What the store numbers a version with. */
export type VersionNumbers = Pick<Memory, 'seq' | 'doc' | 'rev'>;

/** Fields that a change of a memory may set; absent ones stay as they are. */
export type MemoryChange = Partial<MemoryContent> & {
  readonly effectiveState?: EffectiveState;
  readonly updatedAt?: EpochMs;
  readonly chainId?: string;
  readonly chainVersion?: number;
};

/** A memory, and what there is of its version. */
export interface FoundMemory {
  readonly memory: Memory;
  readonly parts: PartsOfVersion;
}

/** Reads of one user's live memories as they are now. Ids of other users are unknown ids here. */
export interface MemoryReader {
  find(id: string): Promise<Memory | undefined>;
  /** See `DerivationReader.partsOf`; both by one statement. */
  findWithParts(id: string): Promise<FoundMemory | undefined>;
  findByName(name: string): Promise<Memory | undefined>;
  /** Memories that have a name, the newest version of each, in order of name. */
  listNamed(page: PageRequest): Promise<Page<Memory>>;
  /** The memory with this external id, `isTrashed` where it is in the trash. */
  findByExternalId(externalId: string): Promise<{ memory: Memory; isTrashed: boolean } | undefined>;
  /** Live memories among `ids`, in no fixed order. At most 1,000 ids. */
  findMany(ids: readonly string[]): Promise<Memory[]>;
  /** The versions with these docs, in the order asked for; unknown docs are left out. */
  findByDocs(docs: readonly number[]): Promise<Memory[]>;
  /** Docs of live memories whose id starts with `prefix`, at most `limit`, in order of id. */
  docsByIdPrefix(prefix: string, limit: number): Promise<number[]>;
  /** Live memories of a named chain, newest version first, at most `limit`. */
  listChain(chainId: string, limit: number): Promise<Memory[]>;
  /** Docs of the same, a page of them. */
  listChainDocs(chainId: string, page: PageRequest): Promise<Page<number>>;
  /** Live memories whose `seq` is greater, in order of writing, at most `limit`. */
  listAfter(seq: number, limit: number): Promise<Memory[]>;
  /** Live memories whose `seq` is smaller, the last written first, at most `limit`. */
  listBefore(seq: number, limit: number): Promise<Memory[]>;
  count(): Promise<number>;
}

export interface MovingMemories {
  readonly memories: readonly Memory[];
  readonly movedTo: number;
}

/** Changes of one user's memories; every method also keeps history, keyword index and counters in step. */
export interface MemoryWriter extends MemoryReader {
  insert(memory: NewMemory, indexed: IndexedMemory): Promise<VersionNumbers>;
  /** Closes the version `before` and opens `next` of the same memory, at `at`. */
  change(before: Memory, next: NewMemory, indexed: IndexedChange, at: EpochMs): Promise<VersionNumbers>;
  /** Moves memories to the trash: they and all their versions are invisible from now on. */
  trash(memories: readonly Memory[], at: EpochMs): Promise<void>;
  /** Takes memories out of the trash with all their versions. */
  restore(memories: readonly Memory[]): Promise<void>;
  /** Memories in the trash among `ids`. */
  findTrashed(ids: readonly string[]): Promise<Memory[]>;
  /** Memories that were deleted with this conversation, in order of writing. */
  listTrashedWith(conversationId: string): Promise<Memory[]>;
  /**
   * The next memories of a conversation that is being moved, in order of writing, and the number up to which none is
   * left. At most 2,000 numbers of the user are looked at.
   */
  listMoving(move: ConversationMove, limit: number): Promise<MovingMemories>;
  /** The highest number that a version of the chain has, one in the trash included. */
  lastChainVersion(chainId: string): Promise<number>;
  /** Whether a version after `afterVersion` that is in the trash has this name. */
  hasTrashedSuccessorNamed(
    chainId: string,
    successor: { readonly name: string; readonly afterVersion: number },
  ): Promise<boolean>;
  /** Text of the first memory of a conversation that is live, or that comes back with it from the trash. */
  firstContent(conversationId: string): Promise<string | undefined>;
  /** The live memory of a conversation that was written last before number `seq`. */
  lastBefore(conversationId: string, seq: number): Promise<Memory | undefined>;
  /** Live memories of a conversation in order of writing, at most `limit`. */
  listByConversation(conversationId: string, limit: number): Promise<Memory[]>;
}
