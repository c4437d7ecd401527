import { deriveStepKey } from '../../../domain/derivation/deriver.ts';
import type { StepKey } from '../../../domain/jobs/step-key.ts';
import type { Memory, NewMemory } from '../../../domain/memories/memory.ts';
import type { MemoryWriter, MovingMemories, VersionNumbers } from '../../../domain/memories/memory-store.ts';
import { AppError } from '../../../domain/shared/errors.ts';
import type { IndexedChange, IndexedDocument, IndexedMemory } from '../../../domain/shared/text-indexer.ts';
import type { ConversationMove } from '../../../domain/trash/trash.ts';
import {
  byConversation,
  firstOf,
  lastOf,
  lastVersion,
  listMoving,
  trashedMemories,
  trashedSuccessors,
  trashedWith,
} from '../conversations/conversation-memories.ts';
import { nextRev, numberTogether, recordChanges } from '../core/change-counter.ts';
import { insertion } from '../core/record-columns.ts';
import type { UserDatabase } from '../core/user-database.ts';
import { UserQuery } from '../core/user-query.ts';
import { copyDerivation } from '../derivation/derivation-writer.ts';
import { keepCorrections } from '../derivation/fact-rows.ts';
import { recordFirstSteps, recordNextSteps } from '../jobs/job-writer.ts';
import { removeProposedTo } from '../relationships/relationship-store.ts';
import type { KeywordWriter } from '../search-index/keyword-index.ts';
import { VectorWriter, type VectorWriterDeps } from '../vectors/vector-writer.ts';
import { newMemoryRecord, toMemory } from './memory-columns.ts';
import { SqlMemoryReader } from './memory-reader.ts';
import { PendingInserts } from './pending-inserts.ts';

type NoRow = never;

const identityColumns = [
  ...newMemoryRecord.namesIn('memories'),
  ...['seq', 'doc', 'trashed_at', 'import_id'],
];
const insertIdentity = insertion('memories', identityColumns);

const versionColumns = [
  ...newMemoryRecord.namesIn('memory_versions'),
  ...['memory_seq', 'doc', 'rev', 'opened_at', 'closed_at', 'trashed'],
  ...['term_count', 'traits', 'speaker', 'metadata_keys', 'import_id'],
];
const insertVersion = insertion('memory_versions', versionColumns);

const rowOf = (columns: readonly string[], values: readonly unknown[]) =>
  Object.fromEntries(columns.map((name, i) => [name, values[i]])) as never;

const closeVersion = new UserQuery<{ doc: number; rev: number; at: number }, { term_count: number }>(
  (tables, args) =>
    tables
      .updateTable('memory_versions')
      .set({ closed_at: args.at, rev: args.rev })
      .where('doc', '=', args.doc)
      .returning('term_count'),
);

const moveIdentity = new UserQuery<
  { id: string; doc: number; chainId: string | null; chainVersion: number | null },
  NoRow
>((tables, args) =>
  tables
    .updateTable('memories')
    .set({ doc: args.doc, chain_id: args.chainId, chain_version: args.chainVersion })
    .where('id', '=', args.id),
);

const trashIdentity = new UserQuery<{ id: string; at: number }, NoRow>((tables, { id, at }) =>
  tables.updateTable('memories').set({ trashed_at: at }).where('id', '=', id),
);

const trashVersions = new UserQuery<{ seq: number; rev: number }, NoRow>((tables, { seq, rev }) =>
  tables.updateTable('memory_versions').set({ trashed: 1, rev }).where('memory_seq', '=', seq),
);

const restoreIdentity = new UserQuery<{ id: string }, NoRow>((tables, { id }) =>
  tables.updateTable('memories').set({ trashed_at: null }).where('id', '=', id),
);

const restoreVersions = new UserQuery<{ seq: number; rev: number }, NoRow>((tables, { seq, rev }) =>
  tables.updateTable('memory_versions').set({ trashed: 0, rev }).where('memory_seq', '=', seq),
);

const versionAt = new UserQuery<{ doc: number }, { term_count: number; opened_at: number }>(
  (tables, { doc }) =>
    tables.selectFrom('memory_versions').select(['term_count', 'opened_at']).where('doc', '=', doc),
);

const taken = new UserQuery<{ name: string }, { doc: number }>((tables, { name }) =>
  tables
    .selectFrom('memory_versions')
    .select('doc')
    .where('name', '=', name)
    .where('closed_at', 'is', null)
    .where('trashed', '=', 0),
);

/**
 * A version ends after it began, even if the clock was set
 * back in between, so that reads of earlier times find it.
 */
const endOf = (openedAt: number, at: number) => (at >= openedAt ? at : openedAt + 1);

/**
 * Whether derivation reads the same from a version; its event
 * time counts, because times in a text are relative to it.
 */
const saysTheSame = (before: NewMemory, next: NewMemory) =>
  before.content === next.content &&
  before.eventTime === next.eventTime &&
  JSON.stringify([before.topics, before.codeContext]) === JSON.stringify([next.topics, next.codeContext]);

/** Values of `versionColumns`. */
function versionValues(
  memory: NewMemory,
  { terms, traits, speaker, metadataKeys }: IndexedDocument,
  { seq, doc, rev }: VersionNumbers,
  { at, importId = null }: { readonly at: number; readonly importId?: string | null },
): unknown[] {
  const values = newMemoryRecord.valuesIn('memory_versions', memory);
  values.push(seq, doc, rev, at, null, 0, terms.length, traits, speaker, metadataKeys, importId);
  return values;
}

/** Each version gets a job for each of the steps. */
interface MemoryWriterDeps extends VectorWriterDeps {
  readonly keywords: KeywordWriter;
}

export class SqlMemoryWriter extends SqlMemoryReader implements MemoryWriter {
  readonly #keywords: KeywordWriter;
  readonly #vectors: VectorWriter;
  readonly #steps: readonly StepKey[];
  #pending: PendingInserts | undefined;

  constructor(db: UserDatabase, deps: MemoryWriterDeps) {
    super(db);
    this.#keywords = deps.keywords;
    this.#vectors = new VectorWriter(db, deps);
    this.#steps = deps.steps;
  }

  async together<T>(count: number, body: () => Promise<T>): Promise<T> {
    this.#pending = new PendingInserts(this.#keywords, count);
    try {
      return await numberTogether(this.db, async () => {
        const done = await body();
        await this.#writePending();
        return done;
      });
    } finally {
      this.#pending = undefined;
    }
  }

  async #writePending(): Promise<void> {
    await this.#pending?.write(this.db, this.#vectors, this.#steps);
  }

  async insert(
    memory: NewMemory,
    indexed: IndexedMemory,
    importId: string | null = null,
  ): Promise<VersionNumbers> {
    const { document, vectors } = indexed;
    const pending = this.#pending;
    const { id } = memory;
    const added = { documents: 1, terms: document.terms.length };
    const [rev, doc] = await this.db.pipeline([
      () => nextRev(this.db, added),
      () => (pending ?? this.#keywords).nextDoc(),
    ]);
    const numbers = { seq: rev, doc, rev };
    const identity = [...newMemoryRecord.valuesIn('memories', memory), rev, doc, null, importId];
    const version = versionValues(memory, document, numbers, { at: memory.updatedAt });
    // Topics refer to the memory, and a name must be seen by the next create with it.
    const isReadNext = memory.topics.length > 0 || memory.name !== null;
    if (pending && !isReadNext) {
      const rows = { identity: rowOf(identityColumns, identity), version: rowOf(versionColumns, version) };
      pending.add({ id, rev, doc, indexed, rows });
      return numbers;
    }
    const writes = [() => this.db.all(insertIdentity, identity), () => this.db.all(insertVersion, version)];
    if (pending) {
      await this.db.pipeline(writes);
      pending.add({ id, rev, doc, indexed });
      return numbers;
    }
    await this.db.pipeline([
      ...writes,
      () => recordChanges(this.db, [{ rev, kind: 'memory', action: 'created', id }]),
      () => this.#keywords.add('memory', doc, document.terms),
      () => this.#vectors.write(doc, vectors),
      () => recordFirstSteps(this.db, this.#steps, doc),
    ]);
    return numbers;
  }

  async change(
    memory: Memory,
    next: NewMemory,
    { document, vectors }: IndexedChange,
    { at, importId }: { readonly at: number; readonly importId?: string },
  ): Promise<VersionNumbers> {
    await this.#writePending();
    const { id, seq, doc } = memory;
    const before = await this.db.first(versionAt, { doc });
    const terms = document.terms.length - (before?.term_count ?? 0);
    const changed = { kind: 'memory', action: 'changed', id } as const;
    const rev = await nextRev(this.db, { documents: 0, terms }, changed);
    const openedAt = endOf(before?.opened_at ?? at, at);
    const numbers = { seq, doc: await this.#keywords.nextDoc(), rev };
    await this.db.all(closeVersion, { doc, rev, at: openedAt });
    await this.db.all(insertVersion, versionValues(next, document, numbers, { at: openedAt, importId }));
    await this.db.all(moveIdentity, {
      id,
      doc: numbers.doc,
      chainId: next.chainId,
      chainVersion: next.chainVersion,
    });
    await this.#keywords.add('memory', numbers.doc, document.terms);
    if (vectors) await this.#vectors.write(numbers.doc, vectors);
    else await this.#vectors.copyFrom(doc, numbers.doc);
    if (memory.content !== next.content) {
      await removeProposedTo(this.db, id);
      await keepCorrections(this.db, numbers.doc);
    }
    const isCopied = saysTheSame(memory, next) && (await copyDerivation(this.db, doc, numbers.doc));
    if (isCopied) await recordNextSteps(this.db, this.#steps, deriveStepKey, [numbers.doc]);
    else await recordFirstSteps(this.db, this.#steps, numbers.doc);
    return numbers;
  }

  async trash(memories: readonly Memory[], at: number): Promise<void> {
    for (const { id, seq, doc } of memories) {
      const terms = -(await this.#termCount(doc));
      const changed = { kind: 'memory', action: 'deleted', id } as const;
      const rev = await nextRev(this.db, { documents: -1, terms }, changed);
      await this.db.all(trashIdentity, { id, at });
      await this.db.all(trashVersions, { seq, rev });
    }
  }

  async restore(memories: readonly Memory[]): Promise<void> {
    for (const { id, seq, doc } of memories) {
      const terms = await this.#termCount(doc);
      const changed = { kind: 'memory', action: 'restored', id } as const;
      const rev = await nextRev(this.db, { documents: 1, terms }, changed);
      await this.db.all(restoreIdentity, { id });
      await this.db.all(restoreVersions, { seq, rev });
    }
    // Memories written while these were in the trash were not compared with them.
    const docs = memories.map(({ doc }) => doc);
    await recordNextSteps(this.db, this.#steps, deriveStepKey, docs);
  }

  async findTrashed(ids: readonly string[]): Promise<Memory[]> {
    if (ids.length === 0) return [];
    return (await trashedMemories(this.db.tables).where('memories.id', 'in', ids).execute()).map(toMemory);
  }

  listMoving(move: ConversationMove, limit: number): Promise<MovingMemories> {
    return listMoving(this.db, move, limit);
  }

  /** @throws 503 while a memory of this name is on its way to the trash: it has the name until it is there */
  override async findByName(name: string): Promise<Memory | undefined> {
    const found = await super.findByName(name);
    if (found || !(await this.db.first(taken, { name }))) return found;
    throw new AppError('STORAGE_UNAVAILABLE', 'A memory of this name is being deleted.', { retryAfter: 1 });
  }

  async listTrashedWith(conversationId: string): Promise<Memory[]> {
    return (await this.db.all(trashedWith, { conversationId })).map(toMemory);
  }

  async lastChainVersion(chainId: string): Promise<number> {
    return (await this.db.first(lastVersion, { chainId }))?.version ?? 0;
  }

  async hasTrashedSuccessorNamed(
    chainId: string,
    named: { name: string; afterVersion: number },
  ): Promise<boolean> {
    return (await this.db.first(trashedSuccessors, { chainId, ...named })) !== undefined;
  }

  async firstContent(conversationId: string): Promise<string | undefined> {
    return (await this.db.first(firstOf, { conversationId }))?.content;
  }

  async lastBefore(conversationId: string, seq: number): Promise<Memory | undefined> {
    const row = await this.db.first(lastOf, { conversationId, before: seq });
    return row && toMemory(row);
  }

  async listByConversation(conversationId: string, limit: number): Promise<Memory[]> {
    return (await this.db.all(byConversation, { conversationId, limit })).map(toMemory);
  }

  async #termCount(doc: number): Promise<number> {
    return (await this.db.first(versionAt, { doc }))?.term_count ?? 0;
  }
}
