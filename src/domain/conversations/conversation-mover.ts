import { applyRestoreEffects, applyTrashEffects, returnMemories } from '../memories/memories-in-trash.ts';
import { AppError } from '../shared/errors.ts';
import type { UserRef } from '../shared/user-ref.ts';
import { type Write, type WriteDeps, writeAs } from '../shared/write.ts';
import type { ConversationMove } from '../trash/trash.ts';

/**
 * Memories moved per transaction: some 20 ms of the writer. Smaller conversations move in one transaction.
 */
export const movedAtOnce = 100;

/**
 * Moves conversations with many memories to the trash and back in many transactions, so that
 * other reads and writes run between them. The memories are hidden from the first transaction
 * to the last. An interrupted move continues at the next start, or before the user's next move.
 */
export class ConversationMover {
  readonly #deps: WriteDeps;

  constructor(deps: WriteDeps) {
    this.#deps = deps;
  }

  /** Completes moves that began here or before a restart. */
  async finish(user: UserRef): Promise<void> {
    const { trash } = this.#deps.stores.forUser(user);
    while (await trash.findMove()) {
      try {
        await this.#write(user, continueMove);
      } catch (error) {
        if (!isNameConflict(error)) throw error;
        // Its memories are still hidden: the move is reverted,
        // and the entry stays in the trash for another try.
        await this.#write(user, turnBack);
      }
    }
  }

  /** Runs `begin` in a transaction in which the user has no unfinished move. */
  async alone<T>(user: UserRef, begin: (write: Write) => Promise<T>): Promise<T> {
    for (;;) {
      await this.finish(user);
      const begun = await this.#write(user, async (write) => {
        if (await write.tx.trash.findMove()) return undefined;
        return { value: await begin(write) };
      });
      if (begun) return begun.value;
    }
  }

  #write<T>(user: UserRef, body: (write: Write) => Promise<T>): Promise<T> {
    return writeAs(this.#deps, user, body);
  }
}

function isNameConflict(error: unknown): boolean {
  return error instanceof AppError && error.code === 'MEMORY_NAME_CONFLICT';
}

async function turnBack({ tx }: Write): Promise<void> {
  const move = await tx.trash.findMove();
  if (move?.step === 'restoring') await tx.trash.startMove(move.entryId, 'trashing');
}

/** Moves the next batch, if there is a move. @throws 409 if the name of a memory is taken */
async function continueMove(write: Write): Promise<void> {
  const { memories, trash } = write.tx;
  const move = await trash.findMove();
  if (!move) return;
  const { memories: next, movedTo } = await memories.listMoving(move, movedAtOnce);
  await moveMemories(write, move, next);
  const hidden = { trashing: -1, restoring: 1, completing: 0 }[move.step] * next.length;
  await trash.advanceMove(move.entryId, movedTo, hidden);
  if (movedTo < move.rev) return;
  if (move.step === 'restoring') await trash.startMove(move.entryId, 'completing');
  else await endMove(write, move);
}

async function moveMemories(
  write: Write,
  { step, deletedAt, rev }: ConversationMove,
  memories: Parameters<typeof applyRestoreEffects>[1],
): Promise<void> {
  if (step === 'restoring') return returnMemories(write, memories, rev);
  if (step === 'completing') return applyRestoreEffects(write, memories);
  await write.tx.memories.trash(memories, deletedAt);
  await applyTrashEffects(write, memories);
}

async function endMove({ tx }: Write, { step, entryId, conversationId }: ConversationMove): Promise<void> {
  await tx.trash.endMove(entryId);
  if (step === 'trashing') return;
  await tx.conversations.restore(conversationId);
  await tx.trash.remove(entryId);
}
