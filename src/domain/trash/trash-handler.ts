import { AppError } from '../shared/errors.ts';
import type { Write } from '../shared/write.ts';
import type { TrashCounts, TrashEntry } from './trash.ts';

/** Operations of the trash on one kind of record; listed in `trash-service.ts`. */
export interface TrashHandler {
  /**
   * Restores the record as it was; the caller removes the entry.
   * @returns the numbers of restored records
   * @throws 409 if another record took its place, or if
   * everything it belongs to is in the trash (`ownerInTrash`)
   */
  restore(write: Write, entry: TrashEntry): Promise<TrashCounts>;
  /**
   * Erases a bounded part of the record. The caller repeats
   * it until nothing is left, also after an interruption.
   * @returns whether anything is left
   */
  eraseStep(write: Write, entry: TrashEntry): Promise<boolean>;
}

/** Memories and conversation of a record. */
interface Owners {
  readonly memoryIds: readonly string[];
  readonly conversationId?: string | null;
}

/**
 * The error for restoring a record that would stay invisible,
 * because everything it belongs to is in the trash.
 * @param kind the record's kind in words: "fact"
 * @returns 409 that names the records to restore first
 */
export async function ownerInTrash({ tx }: Write, kind: string, owners: Owners): Promise<AppError> {
  const memories = await tx.memories.findTrashed(owners.memoryIds);
  const conversationId = owners.conversationId ?? undefined;
  const entries = new Set<string>();
  for (const { id, conversationId: inside } of memories) {
    const entry =
      (await tx.trash.findByRecord('memory', id)) ?? (await tx.trash.findByRecord('conversation', inside));
    if (entry) entries.add(entry.id);
  }
  const entry = conversationId && (await tx.trash.findByRecord('conversation', conversationId));
  if (entry) entries.add(entry.id);
  const owner = memories.length > 0 ? 'memory' : 'conversation';
  return new AppError(
    'OWNER_IN_TRASH',
    `The ${owner} of this ${kind} is in the trash: restore that one first.`,
    {
      details: {
        memoryIds: memories.map(({ id }) => id),
        ...(entry && { conversationId }),
        trashEntryIds: [...entries],
      },
    },
  );
}
