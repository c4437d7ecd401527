import { trashKinds } from '../trash/trash.ts';

export const changeKinds = [...trashKinds, 'relationship', 'candidate', 'pattern', 'topic', 'job'] as const;
export const changeActions = [
  'created',
  'changed',
  'deleted',
  'restored',
  'erased',
  'derived',
  'failed',
] as const;
export type ChangeAction = (typeof changeActions)[number];

/** A record that a change of the user was about. */
export interface ChangedRecord {
  readonly kind: (typeof changeKinds)[number];
  /**
   * `derived`: facts, entities and topics of a memory were derived; its text is as before.
   * `failed`: a job was given up.
   */
  readonly action: ChangeAction;
  /** Of the record; of the memory for a candidate. */
  readonly id: string;
}

/** A place in the list of changes: the user's revision, and which of its records. */
export interface ChangePosition {
  readonly rev: number;
  readonly part: number;
}

export interface Change extends ChangedRecord, ChangePosition {}

/** Changes of the last so many revisions of a user are kept. */
export const changesKept = 100_000;

export interface ChangeReader {
  /** The user's revision: that of the last committed change, listed or not. */
  head(): Promise<number>;
  /** The first `limit` changes after a position, in the order of their commits. */
  after(position: ChangePosition, limit: number): Promise<Change[]>;
}
