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
