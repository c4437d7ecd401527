import type { Imported } from '../shared/external-id.ts';
import type { Page, PageRequest } from '../shared/page.ts';
import type { EpochMs } from '../shared/time.ts';

/** A JSON object. */
export type Metadata = Readonly<Record<string, unknown>>;

/** A text that an agent or a person wrote and keeps: a note, a document, code. */
export interface Artifact {
  readonly id: string;
  readonly content: string;
  /** Any word by which the client sorts its artifacts. */
  readonly type: string;
  readonly name: string | null;
  readonly description: string | null;
  readonly memoryId: string | null;
  readonly conversationId: string | null;
  readonly metadata: Metadata | null;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
  /** Id in another system, unique per user. */
  readonly externalId: string | null;
}

/**
 * Maximum lengths in UTF-16 units, as JavaScript clients count; for metadata, the length of its JSON text.
 */
export const artifactLengthMax = {
  content: 200_000,
  type: 100,
  name: 200,
  description: 2000,
  metadata: 50_000,
} as const;

export interface ArtifactListQuery extends PageRequest {
  readonly memoryId?: string;
  readonly conversationId?: string;
  /** Compared exactly. */
  readonly type?: string;
  /** Only the one with this external id. */
  readonly externalId?: string;
}

/** Reads one user's artifacts. An artifact of a memory or conversation is visible only while that is live. */
export interface ArtifactReader {
  find(id: string): Promise<Artifact | undefined>;
  /** Artifacts with these ids, in their order; undefined for each that is not visible. */
  findMany(ids: readonly string[]): Promise<(Artifact | undefined)[]>;
  /** Ids, newest first. */
  listIds(query: ArtifactListQuery): Promise<Page<string>>;
}

export interface ArtifactWriter extends ArtifactReader {
  insert(artifact: Artifact, imported?: Imported): Promise<void>;
  /** Overwrites all fields except the memory, the conversation, the external id and the creation time. */
  replace(artifact: Artifact): Promise<void>;
  trash(id: string, at: EpochMs): Promise<void>;
  restore(id: string): Promise<void>;
  /** Memory and conversation of an artifact, in the trash or not. */
  ownersOf(id: string): Promise<Pick<Artifact, 'memoryId' | 'conversationId'>>;
  /** Deletes it for good. */
  erase(id: string): Promise<void>;
}
