import { newId } from '../../lib/random.ts';
import { ConversationService } from '../conversations/conversation-service.ts';
import { statesTheSame } from '../memories/import-again.ts';
import { trashMemories } from '../memories/memories-in-trash.ts';
import type { Memory } from '../memories/memory.ts';
import { replaceContent } from '../memories/update-memory.ts';
import { invalidInput, notFound } from '../shared/errors.ts';
import type { Page, PageRequest } from '../shared/page.ts';
import { assertLength } from '../shared/storable-text.ts';
import type { UserRef } from '../shared/user-ref.ts';
import { type KeyedAct, type Write, type WriteDeps, writeAs } from '../shared/write.ts';
import type { AfterDelete } from '../trash/trash.ts';
import type { TrashService } from '../trash/trash-service.ts';
import { type Import, importLengthMax } from './import.ts';
import { type RecordsMoved, restoreRecords, trashRecords } from './imported-records.ts';

interface ImportServiceDeps extends WriteDeps {
  readonly trash: TrashService;
  readonly afterDelete: AfterDelete;
}

interface NewImport {
  readonly source: string;
  readonly format?: string;
}

/** Records that an undo moved to the trash, and memories that it gave the text from before the import. */
export interface Undone extends RecordsMoved {
  readonly memories: number;
  readonly conversations: number;
  readonly versions: number;
  /** Memories that the import changed and that were changed again since, which stay as they are. */
  readonly keptEdits: number;
}

/** Records that came back, and memories that have the text of the import again. */
export interface Redone extends RecordsMoved {
  readonly memories: number;
  readonly versions: number;
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
          updated: 0,
          keptEdits: 0,
          inTrash: 0,
          refused: 0,
          conversations: 0,
          facts: 0,
          artifacts: 0,
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
   * Moves the live memories, facts and artifacts that an import created to the trash, each with an entry of its own,
   * and conversations that are empty then; memories that it changed get the text from before, unless they were changed again.
   * One that was interrupted is completed by the next call. @throws 404
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
    const records = await trashRecords(this.#deps, user, id);
    conversations += await this.#deleteEmpty(user, id);
    const versions = await this.#eachChanged(user, id, takeBack);
    await this.#deps.afterDelete(user);
    return { memories, conversations, ...records, versions: versions.done, keptEdits: versions.edited };
  }

  /** Counts the outcomes of `act` for the live memories that an import changed. */
  async #eachChanged(user: UserRef, id: string, act: typeof takeBack) {
    const counts = { done: 0, before: 0, edited: 0 };
    for (let after = 0; ; ) {
      const { last, outcomes } = await writeAs(this.#deps, user, async (write) => {
        const some = await write.tx.imports.changedBy(id, after, changedAtOnce);
        const became: Outcome[] = [];
        for (const memory of some) became.push(await act(write, id, memory));
        return { last: some.at(-1), outcomes: became };
      });
      for (const outcome of outcomes) counts[outcome]++;
      if (!last) return counts;
      after = last.seq;
    }
  }

  /** Deletes the conversations of an import in which no memory is. */
  async #deleteEmpty(user: UserRef, id: string): Promise<number> {
    let deleted = 0;
    for (;;) {
      const { imports } = this.#deps.stores.forUser(user);
      const empty = await imports.recordsOf(id, 'conversations', memoriesAtOnce);
      for (const conversationId of empty) if (await this.#deleteIfEmpty(user, conversationId)) deleted++;
      if (empty.length < memoriesAtOnce) return deleted;
    }
  }

  async #deleteIfEmpty(user: UserRef, id: string): Promise<boolean> {
    const conversation = await this.#deps.stores.forUser(user).conversations.find(id);
    if (conversation?.memoryCount !== 0) return false;
    await this.#conversations.delete(user, id);
    return true;
  }

  /**
   * Restores the memories that an undo moved to the trash, with their conversations, and the versions that it took
   * back. Memories that were deleted before stay there. @throws 404; 409 if a name is taken by now
   */
  async redo(user: UserRef, id: string, act?: KeyedAct<Redone>): Promise<Redone> {
    const { undoneAt } = await this.get(user, id);
    let memories = 0;
    while (undoneAt !== null) {
      const entries = await this.#deps.stores.forUser(user).imports.entriesOf(id, undoneAt, memoriesAtOnce);
      if (entries.length === 0) break;
      await this.#deps.trash.restoreMemories(user, entries);
      memories += entries.length;
    }
    let records: RecordsMoved = { facts: 0, artifacts: 0 };
    let versions = 0;
    if (undoneAt !== null) {
      records = await restoreRecords(this.#deps, user, { importId: id, since: undoneAt });
      versions = (await this.#eachChanged(user, id, bringBack)).done;
    }
    return writeAs(
      this.#deps,
      user,
      async ({ tx }) => {
        await tx.imports.setUndone(id, null);
        return { memories, ...records, versions };
      },
      act,
    );
  }
}

/** Memories of one transaction: a text that is long takes some milliseconds. */
const changedAtOnce = 8;

/** The result for a memory that an import had changed; `edited`: something else was written over it since. */
type Outcome = 'done' | 'before' | 'edited';

/** Gives a memory that an import changed the fields that it had before. A new version has them. */
const takeBack: Turn = (write, importId, memory) =>
  turn(write, { importId, memory, order: (before, imported) => [imported, before] });

/** The opposite of `takeBack`, for a memory that is as that left it. */
const bringBack: Turn = (write, importId, memory) =>
  turn(write, { importId, memory, order: (before, imported) => [before, imported] });

type Turn = (write: Write, importId: string, memory: Memory) => Promise<Outcome>;

interface Turning {
  readonly importId: string;
  readonly memory: Memory;
  /** The version that the memory must be like, and the one that it gets the fields of. */
  readonly order: (before: Memory, imported: Memory) => readonly [from: Memory, to: Memory];
}

async function turn(write: Write, { importId, memory, order }: Turning): Promise<Outcome> {
  const { own, before } = await write.tx.imports.versionsOf(importId, memory.seq);
  const imported = await otherThan(write, before, own);
  if (!before || !imported) return 'before';
  const [from, to] = order(before, imported);
  if (await statesTheSame(write, memory, to)) return 'before';
  if (!(await statesTheSame(write, memory, from))) return 'edited';
  await give(write, memory, to, importId);
  return 'done';
}

/** The newest version that an import wrote of a record, not of taking it back. */
async function otherThan(
  write: Write,
  before: Memory | undefined,
  own: readonly Memory[],
): Promise<Memory | undefined> {
  for (const version of own) if (before && !(await statesTheSame(write, version, before))) return version;
  return undefined;
}

/** The version counts as one of the import: the next one with this record then finds it as it was imported. */
async function give(write: Write, memory: Memory, fields: Memory, importId: string): Promise<void> {
  const vectors = memory.content === fields.content ? [] : write.indexer.vectors(fields.content);
  await replaceContent(write, memory, fields, { vectors, importId });
}
