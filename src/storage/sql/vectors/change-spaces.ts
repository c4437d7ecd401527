import type { Kysely } from 'kysely';
import type { DocumentEncoder } from '../../../retrieval/ports.ts';
import type { Database } from '../core/schema.ts';
import { newCursor } from '../jobs/backfill.ts';
import { changeSpace, insertSpace, isSpace, lockSpaces, readSpaces, updateSource } from './space-table.ts';

async function isEmpty(db: Kysely<Database>): Promise<boolean> {
  return !(await db.selectFrom('memory_versions').select('doc').limit(1).executeTakeFirst());
}

/** Makes the space serve at once where there is nothing to embed. For a store that was never used. */
export async function openFirstSpace(
  db: Kysely<Database>,
  target: DocumentEncoder | undefined,
  at: number,
): Promise<void> {
  if (!target || (await readSpaces(db)).length > 0 || !(await isEmpty(db))) return;
  await lockSpaces(db);
  if ((await readSpaces(db)).length > 0) return;
  const { space, source, relatedCosine } = target;
  await insertSpace(db, { space, source, relatedCosine, state: 'serving', cursor: undefined, at });
}

/**
 * Begins the change to the space that the configuration asks for, or goes on with it. What it does not ask for is
 * dropped: at once where it does not serve or none is asked for, else when the new one serves. `again`: even where it
 * serves already.
 */
export async function setTargetSpace(
  db: Kysely<Database>,
  target: DocumentEncoder | undefined,
  { at, again = false }: { readonly at: number; readonly again?: boolean },
): Promise<void> {
  await lockSpaces(db);
  const rows = (await readSpaces(db)).filter(({ state }) => state !== 'dropping');
  const drop = async (those: typeof rows) => {
    for (const { id } of those) await changeSpace(db, id, { state: 'dropping', cursor: await newCursor(db) });
  };
  if (!target) return drop(rows);
  const { space, source, relatedCosine } = target;
  const others = rows.filter((row) => !isSpace(row, space));
  const own = rows.filter((row) => isSpace(row, space));
  for (const row of own) if (row.source !== source) await updateSource(db, row.id, source);
  const isServing = own.some(({ state }) => state === 'serving');
  if (isServing && !again) return drop(others);
  if (await isEmpty(db)) {
    await drop(rows);
    return insertSpace(db, { space, source, relatedCosine, state: 'serving', cursor: undefined, at });
  }
  await drop(others.filter(({ state }) => state === 'building'));
  if (own.some(({ state }) => state === 'building')) return;
  await insertSpace(db, {
    space,
    source,
    relatedCosine,
    state: 'building',
    cursor: await newCursor(db),
    at,
  });
}

/** Makes a finished space serve, and begins to drop the one before; one look over all versions completes it. */
export async function switchTo(db: Kysely<Database>, id: number): Promise<void> {
  await lockSpaces(db);
  const rows = await readSpaces(db);
  if (rows.find((row) => row.id === id)?.state !== 'building') return;
  for (const row of rows) {
    if (row.state === 'serving')
      await changeSpace(db, row.id, { state: 'dropping', cursor: await newCursor(db) });
  }
  await changeSpace(db, id, { state: 'serving', cursor: await newCursor(db) });
}
