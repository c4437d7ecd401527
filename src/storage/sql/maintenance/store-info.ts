import type { Kysely } from 'kysely';
import type { Database } from '../core/schema.ts';

/** Facts of the whole store, by key. */
export async function readInfo(db: Kysely<Database>, key: string): Promise<string | undefined> {
  const row = await db.selectFrom('store_info').select('value').where('key', '=', key).executeTakeFirst();
  return row?.value;
}

export async function writeInfo(db: Kysely<Database>, key: string, value: string): Promise<void> {
  await db
    .insertInto('store_info')
    .values({ key, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute();
}

export async function removeInfo(db: Kysely<Database>, key: string): Promise<void> {
  await db.deleteFrom('store_info').where('key', '=', key).execute();
}
