import { type Kysely, sql } from 'kysely';
import { embedStepName, embedStepOf } from '../../../domain/embedding/embed-step.ts';
import { spaceName, type VectorSpace } from '../../../domain/embedding/embedder.ts';
import type { SpaceRole } from '../../../domain/embedding/embedding-progress.ts';
import type { Database, VectorSpacesTable } from '../core/schema.ts';
import { type BackfillCursor, removeCursor, writeCursor } from '../jobs/backfill.ts';

/** Step that empties a dropped space; a process that does not know of the drop yet may still fill it. */
const dropStepName = 'drop_vectors';

/** A vector space and its state in a change of model. */
export interface SpaceRow {
  readonly id: number;
  readonly space: VectorSpace;
  /** See `Embedder.source`. */
  readonly source: string | undefined;
  readonly relatedCosine: number | undefined;
  readonly state: VectorSpacesTable['state'];
  readonly role: SpaceRole;
  /**
   * Set while every version is visited: to build the space, to complete it after its switch, or to empty it.
   */
  readonly cursor: BackfillCursor | undefined;
}

/** All spaces in order of creation. */
export async function readSpaces(db: Kysely<Database>): Promise<SpaceRow[]> {
  const rows = await db
    .selectFrom('vector_spaces')
    .leftJoin('backfills', (join) =>
      join
        .onRef('backfills.version', '=', 'vector_spaces.id')
        .on((row) =>
          row(
            'backfills.step',
            '=',
            row
              .case()
              .when('vector_spaces.state', '=', 'dropping')
              .then(dropStepName)
              .else(embedStepName)
              .end(),
          ),
        ),
    )
    .selectAll('vector_spaces')
    .select('cursor')
    .orderBy('id')
    .execute();
  return rows.map(({ id, model, dimension, version, source, half_similarity_at, state, role, cursor }) => ({
    id,
    space: { model, dimension, version },
    source: source ?? undefined,
    relatedCosine: half_similarity_at ?? undefined,
    state,
    role,
    cursor: cursor === null ? undefined : (JSON.parse(cursor) as BackfillCursor),
  }));
}

/** Lets one transaction at a time, over all processes, add, change or remove spaces. */
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
    role: row.role,
    created_at: row.at,
  };
  const { id } = await db
    .insertInto('vector_spaces')
    .values(values as VectorSpacesTable)
    .returning('id')
    .executeTakeFirstOrThrow();
  await changeSpace(db, id, row);
}

/** Sets the state of a space, and the cursor of its work on all versions. */
export async function changeSpace(
  db: Kysely<Database>,
  id: number,
  { state, cursor }: Pick<SpaceRow, 'state' | 'cursor'>,
): Promise<void> {
  await db
    .updateTable('vector_spaces')
    .set({ state })
    .where('id', '=', id)
    .where('state', '<>', state)
    .execute();
  const drop = { name: dropStepName, version: id };
  const [own, other] = state === 'dropping' ? [drop, embedStepOf(id)] : [embedStepOf(id), drop];
  await removeCursor(db, other);
  await (cursor ? writeCursor(db, own, cursor) : removeCursor(db, own));
}

/** Stores the new address of the model: a server may move. */
export async function updateSource(
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

/** Stores the cosine at which two texts are plausibly related, measured once. */
export async function calibrateSpace(db: Kysely<Database>, id: number, relatedCosine: number): Promise<void> {
  await db
    .updateTable('vector_spaces')
    .set({ half_similarity_at: relatedCosine })
    .where('id', '=', id)
    .execute();
}

export function isSpace(row: Pick<SpaceRow, 'space'>, space: VectorSpace): boolean {
  return spaceName(row.space) === spaceName(space);
}
