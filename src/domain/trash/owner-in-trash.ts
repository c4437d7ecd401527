import { AppError } from '../shared/errors.ts';
import type { Write } from '../shared/write.ts';

/** Owner of a fact or an artifact. */
interface Owners {
  readonly memoryIds: readonly string[];
  readonly conversationId?: string | null;
}

/**
 * To be thrown where a record would be back but nowhere seen.
 * @param kind as a person calls it: "fact"
 * @returns 409 that names what has to be restored first
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
