import type { Page, PageRequest } from '../shared/page.ts';
import type { EpochMs } from '../shared/time.ts';
import type { Artifact } from './artifact.ts';

export interface ArtifactListQuery extends PageRequest {
  readonly memoryId?: string;
  readonly conversationId?: string;
  /** Compared exactly. */
  readonly type?: string;
}

/** Reads of one user's artifacts. One that belongs to a memory or conversation is seen while that is live. */
export interface ArtifactReader {
  find(id: string): Promise<Artifact | undefined>;
  /** Artifacts with these ids, in their order; undefined for one that is not seen. */
  findMany(ids: readonly string[]): Promise<(Artifact | undefined)[]>;
  /** Ids, the newest first. */
  listIds(query: ArtifactListQuery): Promise<Page<string>>;
}

export interface ArtifactWriter extends ArtifactReader {
  insert(artifact: Artifact): Promise<void>;
  /** Overwrites every field but its owner records and its creation time. */
  replace(artifact: Artifact): Promise<void>;
  trash(id: string, at: EpochMs): Promise<void>;
  restore(id: string): Promise<void>;
  /** Owner of an artifact, in the trash or not. */
  ownersOf(id: string): Promise<Pick<Artifact, 'memoryId' | 'conversationId'>>;
}
