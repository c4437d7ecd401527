import { newId } from '../../lib/random.ts';
import { ConversationService } from '../conversations/conversation-service.ts';
import { trashMemories } from '../memories/memories-in-trash.ts';
import { invalidInput, notFound } from '../shared/errors.ts';
import type { Page, PageRequest } from '../shared/page.ts';
import { assertLength } from '../shared/storable-text.ts';
import type { UserRef } from '../shared/user-ref.ts';
import { type KeyedAct, type WriteDeps, writeAs } from '../shared/write.ts';
import type { AfterDelete } from '../trash/trash.ts';
import type { TrashService } from '../trash/trash-service.ts';
import { type Import, importLengthMax } from './import.ts';

interface ImportServiceDeps extends WriteDeps {
  readonly trash: TrashService;
  readonly afterDelete: AfterDelete;
}

interface NewImport {
  readonly source: string;
  readonly format?: string;
}

/** Memories and conversations that an undo moved to the trash. */
export interface Undone {
  readonly memories: number;
  readonly conversations: number;
}

/** Memories of one transaction, which is over in a few milliseconds. */
const memoriesAtOnce = 32;

/** Imports of memories from elsewhere, which are listed, and undone as a whole. */
export class ImportService {
  readonly #deps: ImportServiceDeps;
  readonly #conversations: ConversationService;

  constructor(deps: ImportServiceDeps) {
    this.#deps = deps;
    this.#conversations = new ConversationService(deps);
  }

  /** @throws 422 */
  begin(user: UserRef, { source, format }: NewImport, act?: KeyedAct<Import>): Promise<Import> {
    assertLength(source, 'source', importLengthMax.source, 1);
    if (source.trim() === '') throw invalidInput('source', 'must not be blank');
    assertLength(format ?? '', 'format', importLengthMax.format);
    return writeAs(
      this.#deps,
      user,
      async ({ tx, at }) => {
        const made: Import = {
          id: newId(),
          source,
          format: format || null,
          createdAt: at,
          updatedAt: at,
          undoneAt: null,
          created: 0,
          unchanged: 0,
          inTrash: 0,
          refused: 0,
        };
        await tx.imports.insert(made);
        return made;
      },
      act,
    );
  }

  /** @throws 404 */
  async get(user: UserRef, id: string): Promise<Import> {
    const found = await this.#deps.stores.forUser(user).imports.find(id);
    if (!found) throw notFound('import');
    return found;
  }

  list(user: UserRef, request: PageRequest): Promise<Page<Import>> {
    return this.#deps.stores.forUser(user).imports.list(request);
  }

  /**
   * Moves the live memories that an import created to the trash, each with an entry of its own, and conversations
   * that are empty then. One that was interrupted is completed by the next call. @throws 404
   */
  async undo(user: UserRef, id: string): Promise<Undone> {
    const { undoneAt } = await this.get(user, id);
    if (undoneAt === null) await writeAs(this.#deps, user, ({ tx, at }) => tx.imports.setUndone(id, at));
    let memories = 0;
    let conversations = 0;
    for (;;) {
      const moved = await writeAs(this.#deps, user, async (write) => {
        const some = await write.tx.imports.memoriesOf(id, memoriesAtOnce);
        await trashMemories(write, some);
        return some;
      });
      if (moved.length === 0) break;
      memories += moved.length;
      for (const conversationId of new Set(moved.map((memory) => memory.conversationId)))
        if (await this.#deleteIfEmpty(user, conversationId)) conversations++;
    }
    await this.#deps.afterDelete(user);
    return { memories, conversations };
  }

  async #deleteIfEmpty(user: UserRef, id: string): Promise<boolean> {
    const conversation = await this.#deps.stores.forUser(user).conversations.find(id);
    if (conversation?.memoryCount !== 0) return false;
    await this.#conversations.delete(user, id);
    return true;
  }

  /**
   * Restores the memories that an undo moved to the trash, with their conversations. Memories
   * that were deleted before stay there. @throws 404; 409 if a name is taken by now
   */
  async redo(user: UserRef, id: string, act?: KeyedAct<number>): Promise<number> {
    const { undoneAt } = await this.get(user, id);
    let restored = 0;
    while (undoneAt !== null) {
      const entries = await this.#deps.stores.forUser(user).imports.entriesOf(id, undoneAt, memoriesAtOnce);
      if (entries.length === 0) break;
      await this.#deps.trash.restoreMemories(user, entries);
      restored += entries.length;
    }
    return writeAs(
      this.#deps,
      user,
      async ({ tx }) => {
        await tx.imports.setUndone(id, null);
        return restored;
      },
      act,
    );
  }
}
