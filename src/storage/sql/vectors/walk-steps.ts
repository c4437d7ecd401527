import { type Kysely, sql } from 'kysely';
import type { Database } from '../core/schema.ts';
import type { UserDatabase } from '../core/user-database.ts';
import { userAfter } from '../upkeep/rebuild-cursor.ts';
import type { SpaceWalk } from './space-table.ts';

/** Versions looked at in one step. */
const lookedAtMax = 500;
/** Versions embedded in one step, and their text: about 5 ms, unless a single memory is longer. */
const embeddedMax = 128;
const charactersMax = 65_536;

/** A version and its text. */
interface DocText {
  readonly doc: number;
  readonly content: string;
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

/** The next versions of a user, newest first, and those of them without vectors in the space or work waiting for it. */
export async function nextLacking(
  db: UserDatabase,
  space: number,
  { doc }: SpaceWalk,
): Promise<{ readonly looked: readonly number[]; readonly lacking: readonly number[] }> {
  const looked = await docsBefore(db, doc);
  if (looked.length === 0) return { looked, lacking: [] };
  const vectors = await knownDocs(db, 'memory_vectors', space, looked);
  const work = await knownDocs(db, 'embedding_work', space, looked);
  return { looked, lacking: looked.filter((each) => !vectors.has(each) && !work.has(each)) };
}

/** As `nextLacking`, with the texts of those lacking, of no more than can be embedded in one step. */
export async function nextToEmbed(
  db: UserDatabase,
  space: number,
  walk: SpaceWalk,
): Promise<{ readonly looked: readonly number[]; readonly lacking: readonly DocText[] }> {
  const { looked, lacking } = await nextLacking(db, space, walk);
  const texts = await withinCharacters(db, lacking.slice(0, embeddedMax));
  if (texts.length === lacking.length) return { looked, lacking: texts };
  const { doc: last } = texts[texts.length - 1];
  return { looked: looked.filter((each) => each >= last), lacking: texts };
}

async function withinCharacters(db: UserDatabase, docs: readonly number[]): Promise<DocText[]> {
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

/** Takes the next vectors of a user, and the work for them, out of a space. @returns the versions looked at */
export async function dropNext(
  db: UserDatabase,
  space: number,
  { doc }: SpaceWalk,
): Promise<readonly number[]> {
  const docs = await docsBefore(db, doc);
  if (docs.length === 0) return docs;
  for (const table of ['memory_vectors', 'embedding_work'] as const) {
    await db.tables
      .deleteFrom(table as 'embedding_work')
      .where('doc', '>=', docs[docs.length - 1])
      .where('doc', '<=', docs[0])
      .where('space', '=', space)
      .execute();
  }
  return docs;
}

/** The walk after a step that looked at these versions: on in the same user, or at the next one where there were none. */
export async function walkOn(
  handle: Kysely<Database>,
  walk: SpaceWalk & { readonly userId: number },
  looked: readonly number[],
): Promise<SpaceWalk> {
  const { userId, done, total } = walk;
  const upTo = Math.max(walk.upTo ?? 0, looked[0] ?? 0);
  if (looked.length > 0) return { userId, doc: looked.at(-1), upTo, done: done + looked.length, total };
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
