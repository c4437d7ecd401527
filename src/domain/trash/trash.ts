import type { EpochMs } from '../shared/time.ts';

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
