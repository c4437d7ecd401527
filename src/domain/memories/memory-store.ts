import type { PartsOfVersion } from '../derivation/derivation-store.ts';
import type { Page, PageRequest } from '../shared/page.ts';
import type { IndexedChange, IndexedMemory } from '../shared/text-indexer.ts';
import type { EpochMs } from '../shared/time.ts';
import type { Author } from '../shared/user-ref.ts';
import type { ConversationMove } from '../trash/trash.ts';
import type { EffectiveState, KnownMemory, Memory, MemoryContent, NewMemory } from './memory.ts';

/** Numbers that the store assigns to a version. */
export type VersionNumbers = Pick<Memory, 'seq' | 'doc' | 'rev'>;

/** Fields that a change of a memory may set; absent ones stay as they are. */
export type MemoryChange = Partial<MemoryContent> & {
  readonly effectiveState?: EffectiveState;
  readonly outdatedParts?: Memory['outdatedParts'];
  readonly createdBy?: Memory['createdBy'];
  readonly updatedAt?: EpochMs;
  readonly chainId?: string;
  readonly chainVersion?: number;
};

type ChangedBy = { readonly at: EpochMs; readonly importId?: string };

/** A memory and the parts of its version. */
export interface FoundMemory {
  readonly memory: Memory;
  readonly parts: PartsOfVersion;
}

/** A version of a memory, until the time at which the next one began; null for the newest. */
export interface VersionSpan {
  readonly doc: number;
  readonly openedAt: EpochMs;
  readonly closedAt: EpochMs | null;
}

/** Reads one user's live memories in their current versions. Ids of other users are unknown. */
export interface MemoryReader {
  find(id: string): Promise<Memory | undefined>;
  /** `find` and `DerivationReader.partsOf` in one statement. */
  findWithParts(id: string): Promise<FoundMemory | undefined>;
  findByName(name: string): Promise<Memory | undefined>;
  /** The `seq` of the memory with this id, in the trash or not. */
  seqOf(id: string): Promise<number | undefined>;
  /** Heads of named chains, in order of name. */
  listNamed(page: PageRequest): Promise<Page<Memory>>;
  /** Memories by external ids (at most 1,000), those that an export of this store gave included; those of no memory are left out. */
  findByExternalIds(externalIds: readonly string[]): Promise<Map<string, KnownMemory>>;
  /** Live memories among `ids` (at most 1,000), in no fixed order. */
  findMany(ids: readonly string[]): Promise<Memory[]>;
  /** The versions with these docs, in the requested order; unknown docs are left out. */
  findByDocs(docs: readonly number[]): Promise<Memory[]>;
  /** Docs of live memories whose id starts with `prefix`, at most `limit`, in order of id. */
  docsByIdPrefix(prefix: string, limit: number): Promise<number[]>;
  /** Live memories of a named chain, newest version first, at most `limit`. */
  listChain(chainId: string, limit: number): Promise<Memory[]>;
  /** A page of the docs of a chain's live memories, newest version first. */
  listChainDocs(chainId: string, page: PageRequest): Promise<Page<number>>;
  /** The versions of a live memory, newest first; none for an unknown one. */
  listVersions(id: string, page: PageRequest): Promise<Page<VersionSpan>>;
  /** Docs of all versions, earlier ones too, that were said in a role. */
  docsWithRole(role: string): Promise<number[]>;
  /** Docs of all versions, earlier ones too, whose author has each value that is given. */
  docsWrittenBy(author: Partial<Author>): Promise<number[]>;
  /** Versions (at most 1,000, by their `doc`) of each author; those without one are left out. */
  countAuthors(
    docs: readonly number[],
  ): Promise<readonly { readonly author: Author; readonly count: number }[]>;
  /** Versions (at most 1,000, by their `doc`) of each role; those without one are left out. */
  countRoles(docs: readonly number[]): Promise<readonly { readonly role: string; readonly count: number }[]>;
  /** The version of a live memory that was open at a time. */
  findAsOf(id: string, at: EpochMs): Promise<Memory | undefined>;
  /** Live memories with a greater `seq`, in the order of writing, at most `limit`. */
  listAfter(seq: number, limit: number): Promise<Memory[]>;
  /** Live memories with a smaller `seq`, the last written first, at most `limit`. */
  listBefore(seq: number, limit: number): Promise<Memory[]>;
  count(): Promise<number>;
}

export interface MovingMemories {
  readonly memories: readonly Memory[];
  readonly movedTo: number;
}

/** Changes one user's memories; every method also updates history, keyword index and counters. */
export interface MemoryWriter extends MemoryReader {
  /** @param importId the import that creates it */
  insert(memory: NewMemory, indexed: IndexedMemory, importId?: string): Promise<VersionNumbers>;
  /** Writes index entries and jobs of the memories (about `count`) that `body` inserts together, at its end. */
  together<T>(count: number, body: () => Promise<T>): Promise<T>;
  /** Closes the version `before` and opens `next` of the same memory. @param by.importId whose record `next` has */
  change(before: Memory, next: NewMemory, indexed: IndexedChange, by: ChangedBy): Promise<VersionNumbers>;
  /** Moves memories to the trash: from now on they are invisible, with all their versions. */
  trash(memories: readonly Memory[], at: EpochMs): Promise<void>;
  /** Restores memories from the trash, with all their versions. */
  restore(memories: readonly Memory[]): Promise<void>;
  /** Memories in the trash among `ids`. */
  findTrashed(ids: readonly string[]): Promise<Memory[]>;
  /** Memories that were deleted with this conversation, in the order of writing. */
  listTrashedWith(conversationId: string): Promise<Memory[]>;
  /**
   * The next memories of a conversation that is being moved, in the order of writing,
   * and the `seq` up to which all are moved. Scans at most 2,000 `seq`s of the user.
   */
  listMoving(move: ConversationMove, limit: number): Promise<MovingMemories>;
  /** The highest version number of a chain, including versions in the trash. */
  lastChainVersion(chainId: string): Promise<number>;
  /** Whether a version after `afterVersion` that is in the trash has this name. */
  hasTrashedSuccessorNamed(
    chainId: string,
    successor: { readonly name: string; readonly afterVersion: number },
  ): Promise<boolean>;
  /** Text of the first memory of a conversation that is live, or that is restored with it. */
  firstContent(conversationId: string): Promise<string | undefined>;
  /** The live memory of a conversation that was written last before `seq`. */
  lastBefore(conversationId: string, seq: number): Promise<Memory | undefined>;
  /** Live memories of a conversation in the order of writing, at most `limit`. */
  listByConversation(conversationId: string, limit: number): Promise<Memory[]>;
}
