import { type Kysely, sql } from 'kysely';
import { spaceName, type VectorSpace } from '../../../domain/embedding/embedder.ts';
import type { Database, VectorSpacesTable } from '../core/schema.ts';

/** How far a walk over all versions of all users is: users by id, each one's versions from the newest back. */
export interface SpaceWalk {
  /** Undefined once all users are done. */
  readonly userId?: number;
  /** The last version done; undefined at the user's newest. */
  readonly doc?: number;
  /** The highest doc met. */
  readonly upTo?: number;
  readonly done: number;
  readonly total: number;
}

/** A vector space and its place in a change of model. */
export interface SpaceRow {
  readonly id: number;
  readonly space: VectorSpace;
  /** See `Embedder.source`. */
  readonly source: string | undefined;
  readonly relatedCosine: number | undefined;
  readonly state: VectorSpacesTable['state'];
  /** Set while every version is looked at: to build the space, to complete it after its switch, or to empty it. */
  readonly walk: SpaceWalk | undefined;
}

/** All spaces in order of their making. */
export async function readSpaces(db: Kysely<Database>): Promise<SpaceRow[]> {
  const rows = await db.selectFrom('vector_spaces').selectAll().orderBy('id').execute();
  return rows.map(({ id, model, dimension, version, source, half_similarity_at, state, walk }) => ({
    id,
    space: { model, dimension, version },
    source: source ?? undefined,
    relatedCosine: half_similarity_at ?? undefined,
    state,
    walk: walk === null ? undefined : (JSON.parse(walk) as SpaceWalk),
  }));
}

/** Lets one transaction at a time change which spaces there are, over all processes. */
export async function lockSpaces(db: Kysely<Database>): Promise<void> {
  await sql`UPDATE store_counters SET value = value + 1 WHERE name = 'spaces'`.execute(db);
}

export async function insertSpace(
  db: Kysely<Database>,
  row: Omit<SpaceRow, 'id'> & { readonly at: number },
): Promise<void> {
  const values = {
    model: row.space.model,
    dimension: row.space.dimension,
    version: row.space.version,
    source: row.source ?? null,
    half_similarity_at: row.relatedCosine ?? null,
    state: row.state,
    walk: row.walk ? JSON.stringify(row.walk) : null,
    created_at: row.at,
  };
  await db
    .insertInto('vector_spaces')
    .values(values as VectorSpacesTable)
    .execute();
}

export async function moveSpace(
  db: Kysely<Database>,
  id: number,
  change: { readonly state?: SpaceRow['state']; readonly walk: SpaceWalk | undefined },
): Promise<void> {
  const walk = change.walk ? JSON.stringify(change.walk) : null;
  await db
    .updateTable('vector_spaces')
    .set({ walk, ...(change.state && { state: change.state }) })
    .where('id', '=', id)
    .execute();
}

/** Keeps where the model is to be asked from now on: a server may move. */
export async function moveSource(
  db: Kysely<Database>,
  id: number,
  source: string | undefined,
): Promise<void> {
  await db
    .updateTable('vector_spaces')
    .set({ source: source ?? null })
    .where('id', '=', id)
    .execute();
}

/** Keeps the cosine at which two texts are plausibly related, measured once. */
export async function calibrateSpace(db: Kysely<Database>, id: number, relatedCosine: number): Promise<void> {
  await db
    .updateTable('vector_spaces')
    .set({ half_similarity_at: relatedCosine })
    .where('id', '=', id)
    .execute();
}

export function isSpace(row: SpaceRow, space: VectorSpace): boolean {
  return spaceName(row.space) === spaceName(space);
}
