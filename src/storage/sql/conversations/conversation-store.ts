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
import type { ConversationsTable } from '../core/schema.ts';
import { type UserDatabase, UserRecords } from '../core/user-database.ts';
import { UserQuery } from '../core/user-query.ts';
import type { UserTables } from '../core/user-tables.ts';
import type { KeywordWriter } from '../search-index/keyword-index.ts';

const live = (tables: UserTables) => tables.selectFrom('conversations').where('trashed_at', 'is', null);

/** False for those made for memories of which none is live. */
export const isListed = sql<boolean>`(auto_titled = 0 OR memory_count > 0)`;

const byId = new UserQuery<{ id: string }, ConversationsTable>((tables, { id }) =>
  live(tables).selectAll().where('id', '=', id),
);

const listedAfter = new UserQuery<{ id: string; limit: number }, ConversationsTable>(
  (tables, { id, limit }) =>
    live(tables).selectAll().where('id', '>', id).where(isListed).orderBy('id').limit(limit),
);

const byAgentSession = new UserQuery<{ agentSessionId: string }, ConversationsTable>(
  (tables, { agentSessionId }) =>
    live(tables)
      .selectAll()
      .where('agent_session_id', '=', agentSessionId)
      .orderBy('last_activity_at', 'desc')
      .limit(1),
);

const newestImplicit = new UserQuery<{ until: number }, ConversationsTable>((tables, { until }) =>
  live(tables)
    .selectAll()
    .where(sql<boolean>`implicit = 1`)
    .where('last_activity_at', '<=', until)
    .orderBy('last_activity_at', 'desc')
    .limit(1),
);

const insertConversation = new UserQuery<Omit<ConversationsTable, 'user_id' | 'trashed_at'>, never>(
  (tables, row) =>
    tables.insertInto('conversations', {
      id: row.id,
      title: row.title,
      summary: row.summary,
      created_at: row.created_at,
      updated_at: row.updated_at,
      last_activity_at: row.last_activity_at,
      since_rev: row.since_rev,
      memory_count: row.memory_count,
      agent_session_id: row.agent_session_id,
      implicit: row.implicit,
      last_session_id: row.last_session_id,
      trashed_at: null,
      doc: row.doc,
      term_count: row.term_count,
      auto_titled: row.auto_titled,
    }),
);

const addMemory = new UserQuery<
  { id: string; newSessionId: string; at: number; createdAt: number; goesOnSince: number },
  { last_session_id: string; memory_count: number; auto_titled: number }
>((tables, args) =>
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

function toConversation(row: ConversationsTable): Conversation {
  return {
    id: row.id,
    title: row.title,
    summary: row.summary,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    lastActivityAt: row.last_activity_at,
    memoryCount: row.memory_count,
    agentSessionId: row.agent_session_id,
    implicit: row.implicit === 1,
    lastSessionId: row.last_session_id,
    autoTitled: row.auto_titled === 1,
  };
}

export class SqlConversationReader extends UserRecords implements ConversationReader {
  async find(id: string): Promise<Conversation | undefined> {
    const row = await this.db.first(byId, { id });
    return row && toConversation(row);
  }

  async findMany(ids: readonly string[]): Promise<Conversation[]> {
    if (ids.length === 0) return [];
    const rows = await live(this.db.tables).selectAll().where('id', 'in', ids).execute();
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
    const { since, minMemories, sortBy, order } = request;
    let rows = live(this.db.tables);
    if (since !== undefined) rows = rows.where('created_at', '>', since);
    rows = minMemories === undefined ? rows.where(isListed) : rows.where('memory_count', '>=', minMemories);
    const by = [sortColumns[sortBy], 'doc'].map((column) => ({ column, order, part: 'integer' }) as const);
    const page = await pageOf(rows, rows.selectAll(), { by, request });
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

  constructor(db: UserDatabase, { keywords }: { readonly keywords: KeywordWriter }) {
    super(db);
    this.#keywords = keywords;
  }

  async insert(conversation: Conversation, document: IndexedDocument): Promise<void> {
    const sinceRev = await nextRev(this.db, { documents: 0, terms: 0 });
    const doc = await this.#keywords.nextDoc();
    await this.db.all(insertConversation, {
      id: conversation.id,
      title: conversation.title,
      summary: conversation.summary,
      created_at: conversation.createdAt,
      updated_at: conversation.updatedAt,
      last_activity_at: conversation.lastActivityAt,
      since_rev: sinceRev,
      memory_count: conversation.memoryCount,
      agent_session_id: conversation.agentSessionId,
      implicit: conversation.implicit ? 1 : 0,
      last_session_id: conversation.lastSessionId,
      doc,
      term_count: document.terms.length,
      auto_titled: conversation.autoTitled ? 1 : 0,
    });
    await this.#keywords.add('conversation', doc, document.terms);
  }

  async addMemory(
    id: string,
    { at, createdAt, goesOnSince, newSessionId }: AddedMemory,
  ): Promise<PlacedMemory | undefined> {
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
    await nextRev(this.db, { documents: 0, terms: 0 });
    await this.db.tables
      .updateTable('conversations')
      .set({ trashed_at: null })
      .where('id', '=', id)
      .execute();
  }

  async titleOf(id: string): Promise<TitleOf | undefined> {
    const row = await this.db.tables
      .selectFrom('conversations')
      .select(['title', 'summary', 'auto_titled', 'memory_count'])
      .where('id', '=', id)
      .executeTakeFirst();
    return (
      row && {
        title: row.title,
        summary: row.summary,
        autoTitled: row.auto_titled === 1,
        memoryCount: row.memory_count,
      }
    );
  }

  /** Its document keeps its number: conversations of equal rank stand in the order of their documents. */
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
    await nextRev(this.db, { documents: 0, terms: 0 });
    await this.db.tables.updateTable('conversations').set({ trashed_at: at }).where('id', '=', id).execute();
  }
}
