import { deriveStepKey } from '../../../domain/derivation/deriver.ts';
import type { StepKey } from '../../../domain/jobs/step-key.ts';
import type { Memory } from '../../../domain/memories/memory.ts';
import type {
  MemoryWriter,
  MovingMemories,
  NewMemory,
  VersionNumbers,
} from '../../../domain/memories/memory-store.ts';
import { AppError } from '../../../domain/shared/errors.ts';
import type { IndexedChange, IndexedMemory } from '../../../domain/shared/text-indexer.ts';
import type { ConversationMove } from '../../../domain/trash/trash-store.ts';
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
import { nextRev } from '../core/change-counter.ts';
import type { MemoriesTable, MemoryVersionsTable } from '../core/schema.ts';
import type { UserDatabase } from '../core/user-database.ts';
import { UserQuery } from '../core/user-query.ts';
import { copyDerivation } from '../derivation/derivation-writer.ts';
import { keepCorrections } from '../derivation/fact-rows.ts';
import { recordFirstSteps, recordNextSteps } from '../jobs/job-writer.ts';
import { removeProposedTo } from '../relationships/relationship-store.ts';
import type { KeywordWriter } from '../search-index/keyword-writer.ts';
import { VectorWriter, type VectorWriterDeps } from '../vectors/vector-writer.ts';
import { SqlMemoryReader } from './memory-reader.ts';
import { toMemory, toVersionRow, type VersionPlace } from './memory-row.ts';

type NoRow = never;

const insertIdentity = new UserQuery<Omit<MemoriesTable, 'user_id'>, NoRow>((tables, row) =>
  tables.insertInto('memories', {
    id: row.id,
    seq: row.seq,
    doc: row.doc,
    conversation_id: row.conversation_id,
    session_id: row.session_id,
    chain_id: row.chain_id,
    chain_version: row.chain_version,
    created_at: row.created_at,
    external_id: row.external_id,
    trashed_at: null,
  }),
);

const insertVersion = new UserQuery<Omit<MemoryVersionsTable, 'user_id'>, NoRow>((tables, row) =>
  tables.insertInto('memory_versions', {
    doc: row.doc,
    memory_seq: row.memory_seq,
    rev: row.rev,
    opened_at: row.opened_at,
    closed_at: null,
    trashed: 0,
    content: row.content,
    memory_type: row.memory_type,
    memory_type_user_set: row.memory_type_user_set,
    name: row.name,
    role: row.role,
    context: row.context,
    topics: row.topics,
    event_time: row.event_time,
    valid_from: row.valid_from,
    valid_to: row.valid_to,
    code_context: row.code_context,
    metadata: row.metadata,
    task_id: row.task_id,
    outcome: row.outcome,
    importance: row.importance,
    effective_state: row.effective_state,
    updated_at: row.updated_at,
    term_count: row.term_count,
    traits: row.traits,
    speaker: row.speaker,
    metadata_keys: row.metadata_keys,
  }),
);

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

/** Whether a version gives derivation the same to read; times that a text names are counted from when it happened. */
const saysTheSame = (before: NewMemory, next: NewMemory) =>
  before.content === next.content &&
  before.eventTime === next.eventTime &&
  JSON.stringify([before.topics, before.codeContext]) === JSON.stringify([next.topics, next.codeContext]);

/** Each version gets a job for each of the steps. */
interface MemoryWriterDeps extends VectorWriterDeps {
  readonly keywords: KeywordWriter;
}

export class SqlMemoryWriter extends SqlMemoryReader implements MemoryWriter {
  readonly #keywords: KeywordWriter;
  readonly #vectors: VectorWriter;
  readonly #steps: readonly StepKey[];

  constructor(db: UserDatabase, deps: MemoryWriterDeps) {
    super(db);
    this.#keywords = deps.keywords;
    this.#vectors = new VectorWriter(db, deps);
    this.#steps = deps.steps;
  }

  async insert(memory: NewMemory, { document, vectors }: IndexedMemory): Promise<VersionNumbers> {
    const rev = await nextRev(this.db, { documents: 1, terms: document.terms.length });
    const doc = await this.#keywords.nextDoc();
    await this.db.all(insertIdentity, {
      id: memory.id,
      seq: rev,
      doc,
      conversation_id: memory.conversationId,
      session_id: memory.sessionId,
      chain_id: memory.chainId,
      chain_version: memory.chainVersion,
      created_at: memory.createdAt,
      external_id: memory.externalId,
      trashed_at: null,
    });
    await this.db.all(
      insertVersion,
      toVersionRow(memory, document, { seq: rev, doc, rev, openedAt: memory.updatedAt }),
    );
    await this.#keywords.add('memory', doc, document.terms);
    await this.#vectors.write(doc, vectors);
    await recordFirstSteps(this.db, this.#steps, doc);
    return { seq: rev, doc, rev };
  }

  async change(
    memory: Memory,
    next: NewMemory,
    { document, vectors }: IndexedChange,
    at: number,
  ): Promise<VersionNumbers> {
    const { id, seq, doc } = memory;
    const before = await this.db.first(versionAt, { doc });
    const rev = await nextRev(this.db, {
      documents: 0,
      terms: document.terms.length - (before?.term_count ?? 0),
    });
    const openedAt = endOf(before?.opened_at ?? at, at);
    const place: VersionPlace = { seq, doc: await this.#keywords.nextDoc(), rev, openedAt };
    await this.db.all(closeVersion, { doc, rev, at: openedAt });
    await this.db.all(insertVersion, toVersionRow(next, document, place));
    await this.db.all(moveIdentity, {
      id,
      doc: place.doc,
      chainId: next.chainId,
      chainVersion: next.chainVersion,
    });
    await this.#keywords.add('memory', place.doc, document.terms);
    if (vectors) await this.#vectors.write(place.doc, vectors);
    else await this.#vectors.copyFrom(doc, place.doc);
    if (memory.content !== next.content) {
      await removeProposedTo(this.db, id);
      await keepCorrections(this.db, place.doc);
    }
    const isCopied = saysTheSame(memory, next) && (await copyDerivation(this.db, doc, place.doc));
    if (isCopied) await recordNextSteps(this.db, this.#steps, deriveStepKey, [place.doc]);
    else await recordFirstSteps(this.db, this.#steps, place.doc);
    return { seq, doc: place.doc, rev };
  }

  async trash(memories: readonly Memory[], at: number): Promise<void> {
    for (const { id, seq, doc } of memories) {
      const rev = await nextRev(this.db, { documents: -1, terms: -(await this.#termCount(doc)) });
      await this.db.all(trashIdentity, { id, at });
      await this.db.all(trashVersions, { seq, rev });
    }
  }

  async restore(memories: readonly Memory[]): Promise<void> {
    for (const { id, seq, doc } of memories) {
      const rev = await nextRev(this.db, { documents: 1, terms: await this.#termCount(doc) });
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
