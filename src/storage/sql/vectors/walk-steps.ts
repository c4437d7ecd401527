import { type Kysely, sql } from 'kysely';
import { chunksOf } from '../../../lib/chunks.ts';
import type { Database } from '../schema.ts';
import { userAfter } from '../upkeep/rebuild-cursor.ts';
import type { UserDatabase } from '../user-database.ts';
import type { SpaceWalk } from './space-table.ts';

/** Versions looked at in one step. */
const lookedAtMax = 500;
/** Versions embedded in one step, and their text: about 5 ms, unless a single memory is longer. */
const embeddedMax = 32;
const charactersMax = 65_536;

export interface LackingVersions {
  /** Versions without vectors in the space. */
  readonly lacking: readonly { readonly doc: number; readonly content: string }[];
  /** How many versions were looked at, up to which doc; undefined at the user's end. */
  readonly lookedAt: number;
  readonly lastDoc: number | undefined;
  /** The first, and so highest, doc looked at. */
  readonly firstDoc: number | undefined;
}

async function docsBefore(db: UserDatabase, doc: number | undefined): Promise<number[]> {
  let query = db.tables.selectFrom('memory_versions').select('doc');
  if (doc !== undefined) query = query.where('doc', '<', doc);
  const rows = await query.orderBy('doc', 'desc').limit(lookedAtMax).execute();
  return rows.map((row) => row.doc);
}

async function knownDocs(
  db: UserDatabase,
  table: 'memory_vectors' | 'embedding_work',
  space: number,
  docs: readonly number[],
): Promise<Set<number>> {
  const rows = await db.tables
    .selectFrom(table as 'embedding_work')
    .select('doc')
    .where('doc', '>=', docs[docs.length - 1])
    .where('doc', '<=', docs[0])
    .where('space', '=', space)
    .execute();
  return new Set(rows.map(({ doc }) => doc));
}

/** The next versions of a user that have neither vectors in the space nor work waiting for it. */
export async function nextLacking(
  db: UserDatabase,
  space: number,
  { doc }: SpaceWalk,
): Promise<LackingVersions> {
  const docs = await docsBefore(db, doc);
  if (docs.length === 0) return { lacking: [], lookedAt: 0, lastDoc: undefined, firstDoc: undefined };
  const vectors = await knownDocs(db, 'memory_vectors', space, docs);
  const work = await knownDocs(db, 'embedding_work', space, docs);
  const without = docs.filter((each) => !vectors.has(each) && !work.has(each));
  const [first = []] = chunksOf(without, embeddedMax);
  const lacking = await withinCharacters(db, first);
  const isWhole = lacking.length === without.length;
  const lastDoc = isWhole ? docs[docs.length - 1] : lacking[lacking.length - 1].doc;
  return { lacking, lookedAt: docs.filter((each) => each >= lastDoc).length, lastDoc, firstDoc: docs[0] };
}

async function withinCharacters(
  db: UserDatabase,
  docs: readonly number[],
): Promise<{ doc: number; content: string }[]> {
  if (docs.length === 0) return [];
  const rows = await db.tables
    .selectFrom('memory_versions')
    .select(['doc', 'content'])
    .where('doc', 'in', docs)
    .orderBy('doc', 'desc')
    .execute();
  let characters = 0;
  return rows.filter(({ content }, i) => {
    characters += content.length;
    return i === 0 || characters <= charactersMax;
  });
}

/** Takes the next vectors of a user, and the work for them, out of a space. @returns as for `nextLacking` */
export async function dropNext(
  db: UserDatabase,
  space: number,
  { doc }: SpaceWalk,
): Promise<Omit<LackingVersions, 'lacking'>> {
  const docs = await docsBefore(db, doc);
  if (docs.length === 0) return { lookedAt: 0, lastDoc: undefined, firstDoc: undefined };
  const lastDoc = docs[docs.length - 1];
  for (const table of ['memory_vectors', 'embedding_work'] as const) {
    await db.tables
      .deleteFrom(table as 'embedding_work')
      .where('doc', '>=', lastDoc)
      .where('doc', '<=', docs[0])
      .where('space', '=', space)
      .execute();
  }
  return { lookedAt: docs.length, lastDoc, firstDoc: docs[0] };
}

/** The walk after a step: on in the same user, or at the next one. */
export async function walkOn(
  handle: Kysely<Database>,
  walk: SpaceWalk & { readonly userId: number },
  { lookedAt, lastDoc, firstDoc = 0 }: Omit<LackingVersions, 'lacking'>,
): Promise<SpaceWalk> {
  const { userId, done, total } = walk;
  const upTo = Math.max(walk.upTo ?? 0, firstDoc);
  if (lastDoc !== undefined) return { userId, doc: lastDoc, upTo, done: done + lookedAt, total };
  return { userId: await userAfter(handle, userId), upTo, done, total };
}

/** Tells every process that writes for the user of a space that it may not know yet. */
export async function announceSpace(db: UserDatabase, space: number): Promise<void> {
  await db.tables
    .updateTable('user_counters')
    .set({ newest_space: sql<number>`${space}` })
    .where('newest_space', '<', space)
    .execute();
}
