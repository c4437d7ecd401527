import { type Kysely, sql } from 'kysely';
import {
  embedStepKey,
  embedStepName,
  type SpaceRole,
  spaceRoles,
} from '../../../domain/embedding/embed-step.ts';
import { spaceName, type VectorSpace } from '../../../domain/embedding/embedder.ts';
import type { DocumentEncoder } from '../../../search-index/ports.ts';
import type { Database, VectorSpacesTable } from '../core/schema.ts';
import { type BackfillCursor, newCursor, removeCursor, writeCursor } from '../jobs/backfill.ts';

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

async function insertSpace(
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
  const [own, other] = state === 'dropping' ? [drop, embedStepKey(id)] : [embedStepKey(id), drop];
  await removeCursor(db, other);
  await (cursor ? writeCursor(db, own, cursor) : removeCursor(db, own));
}

/** Stores the new address of the model: a server may move. */
async function updateSource(db: Kysely<Database>, id: number, source: string | undefined): Promise<void> {
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

async function isEmpty(db: Kysely<Database>): Promise<boolean> {
  return !(await db.selectFrom('memory_versions').select('doc').limit(1).executeTakeFirst());
}

/** The encoders that the configuration asks for, by the role of their spaces. */
export type SpaceTargets = Readonly<Record<SpaceRole, DocumentEncoder | undefined>>;

/** Makes the spaces serve at once, since there is nothing to embed: for a store that was never used. */
export async function openFirstSpaces(
  db: Kysely<Database>,
  targets: SpaceTargets,
  at: number,
): Promise<void> {
  if (!targets.main || (await readSpaces(db)).length > 0 || !(await isEmpty(db))) return;
  await lockSpaces(db);
  if ((await readSpaces(db)).length > 0) return;
  for (const role of spaceRoles) {
    const target = targets[role];
    if (target) await insertSpace(db, { ...of(target), role, state: 'serving', cursor: undefined, at });
  }
}

interface TargetOptions {
  readonly at: number;
  /** Even if the space serves already. */
  readonly again?: boolean;
}

/**
 * Begins or continues, in each role, the change to the space that the configuration asks for. Other
 * spaces are dropped: at once if they do not serve or none is asked for, else when the new one serves.
 */
export async function setTargetSpaces(
  db: Kysely<Database>,
  targets: SpaceTargets,
  options: TargetOptions,
): Promise<void> {
  await lockSpaces(db);
  const rows = (await readSpaces(db)).filter(({ state }) => state !== 'dropping');
  for (const role of spaceRoles) {
    const ofRole = rows.filter((row) => row.role === role);
    await setTarget(db, role, targets[role], ofRole, options);
  }
}

async function setTarget(
  db: Kysely<Database>,
  role: SpaceRole,
  target: DocumentEncoder | undefined,
  rows: readonly SpaceRow[],
  { at, again = false }: TargetOptions,
): Promise<void> {
  const drop = async (those: readonly SpaceRow[]) => {
    for (const { id } of those) await changeSpace(db, id, { state: 'dropping', cursor: await newCursor(db) });
  };
  if (!target) return drop(rows);
  const { space, source } = target;
  const others = rows.filter((row) => !isSpace(row, space));
  const own = rows.filter((row) => isSpace(row, space));
  for (const row of own) if (row.source !== source) await updateSource(db, row.id, source);
  const isServing = own.some(({ state }) => state === 'serving');
  if (isServing && !again) return drop(others);
  if (await isEmpty(db)) {
    await drop(rows);
    return insertSpace(db, { ...of(target), role, state: 'serving', cursor: undefined, at });
  }
  await drop(others.filter(({ state }) => state === 'building'));
  if (own.some(({ state }) => state === 'building')) return;
  // The first space of its role may serve incomplete: the main space finds the rest.
  const isPartOfSearch = role === 'second' && !rows.some(({ state }) => state === 'serving');
  const state = isPartOfSearch ? 'serving' : 'building';
  await insertSpace(db, { ...of(target), role, state, cursor: await newCursor(db), at });
}

function of({ space, source, relatedCosine }: DocumentEncoder) {
  return { space, source, relatedCosine };
}

/**
 * Makes a finished space serve, and begins to drop its predecessor; one pass over all versions completes it.
 */
export async function switchTo(db: Kysely<Database>, id: number): Promise<void> {
  await lockSpaces(db);
  const rows = await readSpaces(db);
  const own = rows.find((row) => row.id === id);
  if (own?.state !== 'building') return;
  for (const row of rows) {
    if (row.state === 'serving' && row.role === own.role)
      await changeSpace(db, row.id, { state: 'dropping', cursor: await newCursor(db) });
  }
  await changeSpace(db, id, { state: 'serving', cursor: await newCursor(db) });
}
