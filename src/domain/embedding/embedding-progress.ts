import type { UserRef } from '../shared/user-ref.ts';

export const embeddingStatuses = ['queued', 'running', 'completed', 'failed', 'skipped'] as const;
/** How far the vectors of a version are; `skipped` where none are made. */
export type EmbeddingStatus = (typeof embeddingStatuses)[number];

export const spaceRoles = ['main', 'second'] as const;
/** `second`: its vectors take the place of those of the `main` space once they are there. At most one space of a role serves. */
export type SpaceRole = (typeof spaceRoles)[number];

/** A vector space as operators see it. */
export interface SpaceStatus {
  readonly model: string;
  readonly dimension: number;
  readonly version: string;
  /** `building`: gets what is written and is filled up; `serving`: searches use it; `dropping`: is being emptied. */
  readonly state: 'building' | 'serving' | 'dropping';
  readonly role: SpaceRole;
  /** Whether it is of the model that the configuration asks for. */
  readonly isTarget: boolean;
  /** Versions looked at and to look at, while it is built, completed or emptied; both 0 when it rests. */
  readonly done: number;
  readonly total: number;
  /** Versions that wait for the model. */
  readonly waiting: number;
  /** Versions given up after three tries. */
  readonly failed: number;
  /** Why the model did not take one of them; for operators only. */
  readonly error: string | undefined;
}

/** How far the vectors of memories are. */
export interface EmbeddingProgress {
  /** Embedding status of each of these versions in the main space that serves; at most 1,000 versions. */
  statusOf(user: UserRef, docs: readonly number[]): Promise<ReadonlyMap<number, EmbeddingStatus>>;
  /** UTF-16 units of a text that the model that serves reads as one; undefined where none serves. */
  longestInput(): number | undefined;
  /** Resolves when nothing of the user waits to be embedded that was written before, after `ms` at the latest; does not fail. */
  waitUntilEmbedded(user: UserRef, ms: number): Promise<void>;
  /** All spaces, with the waiting and failed versions of all users, or of one. */
  spaces(user?: UserRef): Promise<SpaceStatus[]>;
  /** Versions that this process embedded in the background since its start. */
  readonly embedded: number;
}
