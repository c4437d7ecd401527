import type { Kysely } from 'kysely';
import { type SpaceRole, spaceRoles } from '../../../domain/embedding/embedding-progress.ts';
import type { DocumentEncoder } from '../../../search-index/ports.ts';
import type { Database } from '../core/schema.ts';
import { newCursor } from '../jobs/backfill.ts';
import {
  changeSpace,
  insertSpace,
  isSpace,
  lockSpaces,
  readSpaces,
  type SpaceRow,
  updateSource,
} from './space-table.ts';

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

export interface TargetOptions {
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
