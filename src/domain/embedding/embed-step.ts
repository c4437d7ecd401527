import type { StepKey } from '../jobs/step-key.ts';
import type { UserRef } from '../shared/user-ref.ts';

export const embedStepName = 'embed';

/** The step that makes the vectors of a space: each space is a version of the step. */
export function embedStepKey(space: number): StepKey {
  return { name: embedStepName, version: space };
}

/** A vector space that gets the vectors of new and earlier versions. */
export interface SpaceToEmbed {
  readonly id: number;
  /**
   * One list per text, in order: the vector of the whole text,
   * then those of the parts of a long one. @throws EmbeddingError
   */
  encode(contents: readonly string[]): Promise<readonly (readonly Int8Array[])[]>;
}

/** The vector spaces of the store, as this process last read them. */
export interface SpacesToEmbed {
  /** Spaces that serve or are being built, if this process can run their model. */
  toEmbed(): readonly SpaceToEmbed[];
}

/** Writes vectors after their version was committed. */
export interface LateVectorWriter {
  /** Inserts the vectors of versions that have none in the space. Advances the user's change counter. */
  insertLate(
    space: number,
    versions: readonly {
      readonly doc: number;
      /** See `StepItem`. */
      readonly isOlder: boolean;
      readonly vectors: readonly Int8Array[];
    }[],
  ): Promise<void>;
}

export const embeddingStatuses = ['queued', 'running', 'completed', 'failed', 'skipped'] as const;
/** Progress of a version's vectors; `skipped` if none are made. */
export type EmbeddingStatus = (typeof embeddingStatuses)[number];

export const spaceRoles = ['main', 'second'] as const;
/**
 * `second`: its vectors replace those of the `main` space once they exist. At most one space per role serves.
 */
export type SpaceRole = (typeof spaceRoles)[number];

/** A vector space as operators see it. */
export interface SpaceStatus {
  readonly model: string;
  readonly dimension: number;
  readonly version: string;
  /**
   * `building`: gets new versions and is back-filled;
   * `serving`: searches use it; `dropping`: is being emptied.
   */
  readonly state: 'building' | 'serving' | 'dropping';
  readonly role: SpaceRole;
  /** Whether it belongs to the configured model. */
  readonly isTarget: boolean;
  /** Versions processed and total, while it is built, completed or emptied; both 0 otherwise. */
  readonly done: number;
  readonly total: number;
  /** Versions that wait for the model. */
  readonly waiting: number;
  /** Versions given up after three tries. */
  readonly failed: number;
  /** The model's reason for refusing one of them; for operators only. */
  readonly error: string | undefined;
}

/** Progress of the vectors of memories. */
export interface EmbeddingProgress {
  /** Embedding status of versions (at most 1,000) in the serving main space. */
  statusOf(user: UserRef, docs: readonly number[]): Promise<ReadonlyMap<number, EmbeddingStatus>>;
  /** UTF-16 units that the serving model reads at once; undefined if none serves. */
  longestInput(): number | undefined;
  /** Resolves once all earlier writes of the user are embedded, or after `ms`; never rejects. */
  waitUntilEmbedded(user: UserRef, ms: number): Promise<void>;
  /** All spaces, with the waiting and failed versions of all users or of one. */
  spaces(user?: UserRef): Promise<SpaceStatus[]>;
  /** Versions that this process has embedded in the background. */
  readonly embedded: number;
}
