import { sql } from 'kysely';
import type { EpochMs } from '../../../domain/shared/time.ts';
import type { LiveDocument, PlainKind, RecordText } from '../../../search-index/ports.ts';
import { isListed } from '../conversations/conversation-store.ts';
import { listArguments, listQuery } from '../core/list-query.ts';
import type { UserDatabase } from '../core/user-database.ts';
import { UserQuery } from '../core/user-query.ts';
import type { UserTables } from '../core/user-tables.ts';
import { visibleFacts } from '../facts/visible-facts.ts';

type NoArguments = Record<never, never>;

/** Beyond this many, reading all facts takes less than looking them up one by one. */
const factsLookedUpMax = 2048;

const titles = new UserQuery<NoArguments, LiveDocument>((tables) =>
  tables
    .selectFrom('conversations')
    .select(['id', 'doc', 'term_count as termCount'])
    .where('trashed_at', 'is', null)
    .where(isListed),
);

const factDocuments = (tables: UserTables, at?: EpochMs) =>
  visibleFacts(tables, at).select(['facts.id', 'facts.doc', 'facts.term_count as termCount']);

const allFacts = new UserQuery<NoArguments, LiveDocument>((tables) => factDocuments(tables));

const currentFacts = new UserQuery<{ at: EpochMs }, LiveDocument>((tables, { at }) =>
  factDocuments(tables, at),
);

const factsByDoc = listQuery<number, LiveDocument>((tables, docs) =>
  factDocuments(tables).where('facts.doc', 'in', docs),
);

/** The first number is the time, the others are docs. */
const currentFactsByDoc = listQuery<number, LiveDocument>((tables, [at, ...docs]) =>
  factDocuments(tables, at).where('facts.doc', 'in', docs),
);

type Statistics = { documents: number; terms: number | null };

const counted = [sql<number>`count(*)`.as('documents'), sql<number>`sum(term_count)`.as('terms')] as const;

/** `terms` is null if there are no documents. */
const statistics = {
  fact: new UserQuery<NoArguments, Statistics>((tables) =>
    tables.selectFrom('facts').where('trashed_at', 'is', null).select(counted),
  ),
  conversation: new UserQuery<NoArguments, Statistics>((tables) =>
    tables.selectFrom('conversations').where('trashed_at', 'is', null).where(isListed).select(counted),
  ),
} as const satisfies Record<PlainKind, unknown>;

/** See `IndexReader.liveDocuments`. */
export function liveDocuments(
  db: UserDatabase,
  kind: PlainKind,
  docs: readonly number[],
  currentAt?: EpochMs,
): Promise<LiveDocument[]> {
  if (kind === 'conversation') return db.all(titles, {});
  const areAllRead = docs.length === 0 || docs.length > factsLookedUpMax;
  if (currentAt === undefined)
    return areAllRead ? db.all(allFacts, {}) : db.all(factsByDoc(docs.length), listArguments(docs));
  if (areAllRead) return db.all(currentFacts, { at: currentAt });
  return db.all(currentFactsByDoc(docs.length + 1), listArguments([currentAt, ...docs]));
}

/** Characters of a summary that are read to compare it. */
const summaryLengthMax = 400;

const textsOf = (tables: UserTables, limit: number, at?: EpochMs) =>
  visibleFacts(tables, at)
    .select(['facts.id', 'facts.doc', 'facts.subject', 'facts.predicate', 'facts.object'])
    .orderBy('facts.doc', 'desc')
    .limit(limit);

type FactTextRow = { id: string; doc: number; subject: string; predicate: string; object: string };

const factTexts = new UserQuery<{ limit: number }, FactTextRow>((tables, { limit }) =>
  textsOf(tables, limit),
);

const currentFactTexts = new UserQuery<{ limit: number; at: EpochMs }, FactTextRow>((tables, { limit, at }) =>
  textsOf(tables, limit, at),
);

const conversationTexts = new UserQuery<
  { limit: number },
  { id: string; doc: number; title: string; summary: string | null }
>((tables, { limit }) =>
  tables
    .selectFrom('conversations')
    .select(['id', 'doc', 'title', sql<string | null>`substr(summary, 1, ${summaryLengthMax})`.as('summary')])
    .where('trashed_at', 'is', null)
    .where(isListed)
    .orderBy('last_activity_at', 'desc')
    .limit(limit),
);

/** See `IndexReader.recordTexts`. */
export async function recordTexts(
  db: UserDatabase,
  kind: PlainKind,
  limit: number,
  currentAt?: EpochMs,
): Promise<RecordText[]> {
  if (kind === 'fact') {
    const facts =
      currentAt === undefined
        ? await db.all(factTexts, { limit })
        : await db.all(currentFactTexts, { limit, at: currentAt });
    return facts.map(({ id, doc, subject, predicate, object }) => ({
      id,
      doc,
      text: `${subject} ${predicate} ${object}`,
    }));
  }
  const conversations = await db.all(conversationTexts, { limit });
  return conversations.map(({ id, doc, title, summary }) => ({
    id,
    doc,
    text: summary === null ? title : `${title} ${summary}`,
  }));
}

/** See `IndexReader.statistics`. */
export async function documentStatistics(
  db: UserDatabase,
  kind: PlainKind,
): Promise<{ documents: number; terms: number }> {
  const row = await db.first(statistics[kind], {});
  return { documents: Number(row?.documents ?? 0), terms: Number(row?.terms ?? 0) };
}
