import { type Kysely, sql } from 'kysely';
import type { DocumentRef } from '../../upkeep.ts';
import type { Database } from '../core/schema.ts';
import type { UserDatabase } from '../core/user-database.ts';

/** Documents written in one transaction at most. */
export const documentsAtOnce = 32;

/**
 * Position of a rebuild: users by id, each one's memories from
 * the newest version back, then conversations, then facts.
 */
export interface RebuildCursor {
  /** Version of the analyser that the index is rebuilt for. */
  readonly version: number;
  readonly userId: number;
  /** The last version done; undefined at the user's newest. */
  readonly doc?: number;
  /** The last conversation done; undefined while versions remain. */
  readonly conversation?: string;
  /** The doc of the last fact that was rebuilt; undefined while conversations remain. */
  readonly fact?: number;
  readonly done: number;
  readonly total: number;
}

/** Text in one step at most, unless a single memory is longer: about 5 ms of analysis. */
const charactersAtOnce = 65_536;

interface RebuildBatch {
  readonly refs: readonly DocumentRef[];
  /** The cursor after them, or undefined when the user has nothing more. */
  readonly next: RebuildCursor | undefined;
}

export async function nextBatch(db: UserDatabase, cursor: RebuildCursor): Promise<RebuildBatch> {
  const { conversation, fact, done } = cursor;
  const versions = conversation === undefined && fact === undefined ? await nextVersions(db, cursor) : [];
  const lastVersion = versions.at(-1);
  if (lastVersion) {
    const refs = versions.map(({ doc }) => ({ kind: 'memory', doc }) as const);
    return { refs, next: { ...cursor, doc: lastVersion.doc, done: done + refs.length } };
  }
  const conversations = fact === undefined ? await nextConversations(db, cursor) : [];
  const lastConversation = conversations.at(-1);
  if (lastConversation) {
    const refs = conversations.map(({ doc }) => ({ kind: 'conversation', doc }) as const);
    return { refs, next: { ...cursor, conversation: lastConversation.id, done: done + refs.length } };
  }
  const facts = await nextFacts(db, cursor);
  const lastFact = facts.at(-1);
  const refs = facts.map(({ doc }) => ({ kind: 'fact', doc }) as const);
  return { refs, next: lastFact && { ...cursor, fact: lastFact.doc, done: done + refs.length } };
}

function nextConversations(
  db: UserDatabase,
  { conversation }: RebuildCursor,
): Promise<{ id: string; doc: number }[]> {
  return db.tables
    .selectFrom('conversations')
    .select(['id', 'doc'])
    .where('id', '>', conversation ?? '')
    .orderBy('id')
    .limit(documentsAtOnce)
    .execute();
}

function nextFacts(db: UserDatabase, { fact }: RebuildCursor): Promise<{ doc: number }[]> {
  return db.tables
    .selectFrom('facts')
    .select('doc')
    .where('doc', '>', fact ?? 0)
    .orderBy('doc')
    .limit(documentsAtOnce)
    .execute();
}

async function nextVersions(db: UserDatabase, { doc }: RebuildCursor): Promise<{ doc: number }[]> {
  let query = db.tables
    .selectFrom('memory_versions')
    .select(['doc', sql<number>`length(content)`.as('size')]);
  if (doc !== undefined) query = query.where('doc', '<', doc);
  const rows = await query.orderBy('doc', 'desc').limit(documentsAtOnce).execute();
  let characters = 0;
  return rows.filter(({ size }, i) => {
    characters += Number(size);
    return i === 0 || characters <= charactersAtOnce;
  });
}

export async function userAfter(db: Kysely<Database>, userId: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('users')
    .select('id')
    .where('id', '>', userId)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}
