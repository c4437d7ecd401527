import { sql } from 'kysely';
import type {
  Activity,
  AddedMemory,
  Conversation,
  ConversationActivity,
  ConversationListQuery,
  ConversationReader,
  ConversationWriter,
  PlacedMemory,
  TitleOf,
} from '../../../domain/conversations/conversation.ts';
import type { Page } from '../../../domain/shared/page.ts';
import type { IndexedDocument } from '../../../domain/shared/text-indexer.ts';
import { chunksOf } from '../../../lib/collections.ts';
import { nextRev } from '../core/change-counter.ts';
import { pageOf } from '../core/page-of.ts';
import { type Columns, insertion, RecordColumns, type RowOf } from '../core/record-columns.ts';
import { type UserDatabase, UserRecords } from '../core/user-database.ts';
import { UserQuery } from '../core/user-query.ts';
import type { UserTables } from '../core/user-tables.ts';
import type { KeywordWriter } from '../search-index/keyword-index.ts';
import { PendingCounts } from './pending-counts.ts';

const columns = {
  id: 'conversations.id',
  title: 'conversations.title',
  summary: 'conversations.summary',
  createdAt: 'conversations.created_at',
  updatedAt: 'conversations.updated_at',
  lastActivityAt: 'conversations.last_activity_at',
  memoryCount: 'conversations.memory_count',
  agentSessionId: 'conversations.agent_session_id',
  implicit: { flag: 'conversations.implicit' },
  lastSessionId: 'conversations.last_session_id',
  autoTitled: { flag: 'conversations.auto_titled' },
  externalId: 'conversations.external_id',
  metadata: { json: 'conversations.metadata' },
} as const satisfies Columns<Conversation>;
const conversationRecord = new RecordColumns<Conversation, typeof columns>(columns);
type ConversationRow = RowOf<typeof columns>;
const toConversation = (row: ConversationRow) => conversationRecord.decode(row);

const live = (tables: UserTables) => tables.selectFrom('conversations').where('trashed_at', 'is', null);

/** False for automatic conversations without a live memory. */
export const isListed = sql<boolean>`(auto_titled = 0 OR memory_count > 0)`;

const byId = new UserQuery<{ id: string }, ConversationRow>((tables, { id }) =>
  live(tables).select(conversationRecord.selection).where('id', '=', id),
);

const listedAfter = new UserQuery<{ id: string; limit: number }, ConversationRow>((tables, { id, limit }) =>
  live(tables)
    .select(conversationRecord.selection)
    .where('id', '>', id)
    .where(isListed)
    .orderBy('id')
    .limit(limit),
);

const byAgentSession = new UserQuery<{ agentSessionId: string }, ConversationRow>(
  (tables, { agentSessionId }) =>
    live(tables)
      .select(conversationRecord.selection)
      .where('agent_session_id', '=', agentSessionId)
      .orderBy('last_activity_at', 'desc')
      .limit(1),
);

const newestImplicit = new UserQuery<{ until: number }, ConversationRow>((tables, { until }) =>
  live(tables)
    .select(conversationRecord.selection)
    .where(sql<boolean>`implicit = 1`)
    .where('last_activity_at', '<=', until)
    .orderBy('last_activity_at', 'desc')
    .limit(1),
);

const insertConversation = insertion('conversations', [
  ...conversationRecord.namesIn('conversations'),
  ...['since_rev', 'doc', 'term_count', 'trashed_at', 'import_id'],
]);

const addMemory = new UserQuery(
  (tables, args: { id: string; newSessionId: string; at: number; createdAt: number; goesOnSince: number }) =>
    tables
      .updateTable('conversations')
      .set({
        memory_count: sql<number>`memory_count + 1`,
        created_at: sql<number>`CASE WHEN created_at > ${args.createdAt} THEN ${args.createdAt} ELSE created_at END`,
        // The activity of one without memories is that of its creation.
        last_activity_at: sql<number>`CASE WHEN last_activity_at < ${args.createdAt} OR memory_count = 0
        THEN ${args.createdAt} ELSE last_activity_at END`,
        updated_at: args.at,
        last_session_id: sql<string>`CASE WHEN last_activity_at >= ${args.goesOnSince} AND last_session_id IS NOT NULL
        THEN last_session_id ELSE ${args.newSessionId} END`,
      })
      .where('id', '=', args.id)
      .where('trashed_at', 'is', null)
      .returning(['last_session_id', 'memory_count', 'auto_titled'])
      .$narrowType<{ last_session_id: string }>(),
);

const removeMemories = new UserQuery<{ id: string; count: number }, never>((tables, { id, count }) =>
  tables
    .updateTable('conversations')
    .set({ memory_count: sql<number>`memory_count - ${count}` })
    .where('id', '=', id),
);

const sortColumns = {
  lastActivityAt: 'last_activity_at',
  createdAt: 'created_at',
  memoryCount: 'memory_count',
} as const;

export class SqlConversationReader extends UserRecords implements ConversationReader {
  async find(id: string): Promise<Conversation | undefined> {
    const row = await this.db.first(byId, { id });
    return row && toConversation(row);
  }

  async findMany(ids: readonly string[]): Promise<Conversation[]> {
    if (ids.length === 0) return [];
    const rows = await live(this.db.tables)
      .select(conversationRecord.selection)
      .where('id', 'in', ids)
      .execute();
    return rows.map(toConversation);
  }

  async listAfter(id: string, limit: number): Promise<Conversation[]> {
    return (await this.db.all(listedAfter, { id, limit })).map(toConversation);
  }

  async activityOf(ids: readonly string[]): Promise<ConversationActivity[]> {
    const found: ConversationActivity[] = [];
    for (const chunk of chunksOf(ids)) {
      const rows = await live(this.db.tables)
        .select(['id', 'last_activity_at as lastActivityAt', 'doc'])
        .where('id', 'in', chunk)
        .execute();
      found.push(...rows);
    }
    return found;
  }

  async findByAgentSession(agentSessionId: string): Promise<Conversation | undefined> {
    const row = await this.db.first(byAgentSession, { agentSessionId });
    return row && toConversation(row);
  }

  async findNewestImplicit(until: number): Promise<Conversation | undefined> {
    const row = await this.db.first(newestImplicit, { until });
    return row && toConversation(row);
  }

  async list(request: ConversationListQuery): Promise<Page<Conversation>> {
    const { since, minMemories, externalId, sortBy, order } = request;
    let rows = live(this.db.tables);
    if (since !== undefined) rows = rows.where('created_at', '>', since);
    if (externalId !== undefined) rows = rows.where('external_id', '=', externalId);
    rows = minMemories === undefined ? rows.where(isListed) : rows.where('memory_count', '>=', minMemories);
    const by = [sortColumns[sortBy], 'doc'].map((column) => ({ column, order, part: 'integer' }) as const);
    const page = await pageOf(
      rows,
      rows.select(conversationRecord.selection).select([sortColumns[sortBy], 'doc']),
      { by, request },
    );
    return { ...page, items: page.items.map(toConversation) };
  }

  async count(): Promise<number> {
    const row = await live(this.db.tables)
      .where(isListed)
      .select(sql<number>`count(*)`.as('count'))
      .executeTakeFirstOrThrow();
    return Number(row.count);
  }
}

export class SqlConversationWriter extends SqlConversationReader implements ConversationWriter {
  readonly #keywords: KeywordWriter;
  #pending: PendingCounts | undefined;

  constructor(db: UserDatabase, { keywords }: { readonly keywords: KeywordWriter }) {
    super(db);
    this.#keywords = keywords;
  }

  async together<T>(body: () => Promise<T>): Promise<T> {
    const pending = new PendingCounts(this.db);
    this.#pending = pending;
    try {
      const done = await body();
      await pending.write();
      return done;
    } finally {
      this.#pending = undefined;
    }
  }

  override async findByAgentSession(agentSessionId: string): Promise<Conversation | undefined> {
    await this.#pending?.write();
    return super.findByAgentSession(agentSessionId);
  }

  override async findNewestImplicit(until: number): Promise<Conversation | undefined> {
    const pending = this.#pending;
    const isNewest = until === Number.MAX_SAFE_INTEGER;
    if (isNewest && pending?.newestImplicit) return pending.newestImplicit;
    await pending?.write();
    const found = await super.findNewestImplicit(until);
    if (pending && isNewest) pending.newestImplicit = found;
    return found;
  }

  async insert(
    conversation: Conversation,
    document: IndexedDocument,
    importId: string | null = null,
  ): Promise<void> {
    if (this.#pending) this.#pending.newestImplicit = undefined;
    const sinceRev = await nextRev(
      this.db,
      { documents: 0, terms: 0 },
      { kind: 'conversation', action: 'created', id: conversation.id },
    );
    const doc = await this.#keywords.nextDoc();
    await this.db.all(insertConversation, [
      ...conversationRecord.valuesIn('conversations', conversation),
      ...[sinceRev, doc, document.terms.length, null, importId],
    ]);
    await this.#keywords.add('conversation', doc, document.terms);
  }

  async addMemory(id: string, memory: AddedMemory): Promise<PlacedMemory | undefined> {
    if (this.#pending) return this.#pending.add(id, memory);
    const { at, createdAt, goesOnSince, newSessionId } = memory;
    const row = await this.db.first(addMemory, { id, newSessionId, at, createdAt, goesOnSince });
    return (
      row && {
        sessionId: row.last_session_id,
        titleFollows: row.auto_titled === 1 && row.memory_count === 1,
      }
    );
  }

  async removeMemories(id: string, count: number): Promise<void> {
    await this.db.all(removeMemories, { id, count });
  }

  async returnMemories(id: string, count: number): Promise<void> {
    await this.removeMemories(id, -count);
  }

  async setActivity(id: string, { at, sessionId }: Activity): Promise<void> {
    await this.db.tables
      .updateTable('conversations')
      .set({ last_activity_at: at, last_session_id: sessionId })
      .where('id', '=', id)
      .execute();
  }

  async restore(id: string): Promise<void> {
    await nextRev(this.db, { documents: 0, terms: 0 }, { kind: 'conversation', action: 'restored', id });
    await this.db.tables
      .updateTable('conversations')
      .set({ trashed_at: null })
      .where('id', '=', id)
      .execute();
  }

  async titleOf(id: string): Promise<TitleOf | undefined> {
    const row = await this.db.tables
      .selectFrom('conversations')
      .select(['title', 'summary', 'auto_titled', 'memory_count as memoryCount'])
      .where('id', '=', id)
      .executeTakeFirst();
    if (!row) return undefined;
    const { auto_titled, ...rest } = row;
    return { ...rest, autoTitled: auto_titled === 1 };
  }

  /** The number of its document stays: conversations of equal rank are in the order of their documents. */
  async retitle(id: string, title: string, { terms }: IndexedDocument): Promise<void> {
    const row = await this.db.tables
      .updateTable('conversations')
      .set({ title, term_count: terms.length })
      .where('id', '=', id)
      .returning('doc')
      .executeTakeFirst();
    if (!row) return;
    await this.#keywords.erase([row.doc]);
    await this.#keywords.add('conversation', row.doc, terms);
    await this.db.tables
      .updateTable('trash_entries')
      .set({ title })
      .where('kind', '=', 'conversation')
      .where('record_id', '=', id)
      .execute();
  }

  async trash(id: string, at: number): Promise<void> {
    await nextRev(this.db, { documents: 0, terms: 0 }, { kind: 'conversation', action: 'deleted', id });
    await this.db.tables.updateTable('conversations').set({ trashed_at: at }).where('id', '=', id).execute();
  }
}
