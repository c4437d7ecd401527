import type { Page, PageRequest } from '../shared/page.ts';
import type { EpochMs } from '../shared/time.ts';
import type { Artifact } from './artifact.ts';

export interface ArtifactListQuery extends PageRequest {
  readonly memoryId?: string;
  readonly conversationId?: string;
  /** Compared exactly. */
  readonly type?: string;
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
  insert(artifact: Artifact): Promise<void>;
  /** Overwrites all fields except the memory, the conversation and the creation time. */
  replace(artifact: Artifact): Promise<void>;
  trash(id: string, at: EpochMs): Promise<void>;
  restore(id: string): Promise<void>;
  /** Deletes it for good. */
  erase(id: string): Promise<void>;
  /** Memory and conversation of an artifact, in the trash or not. */
  ownersOf(id: string): Promise<Pick<Artifact, 'memoryId' | 'conversationId'>>;
}
