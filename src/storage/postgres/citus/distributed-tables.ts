import { type Kysely, sql } from 'kysely';
import type { Database } from '../../sql/core/schema.ts';
import { erasedTables } from '../../sql/core/user-data-tables.ts';

/** Whole on each node: read by statements of every user, or looked up without knowing the user. */
export const referenceTables = ['users', 'api_keys', 'oauth_records', 'vector_spaces'] as const;

/** On the coordinator alone: no statement joins them with rows of users. */
export const coordinatorTables = [
  'schema_migrations',
  'store_info',
  'store_counters',
  'backfills',
  'serving_leases',
] as const;

/** The table that the others are co-located with, so that all rows of a user are on one node. */
const first = 'user_counters';
const distributionColumn = 'user_id';
/** Partitioned in every store; the other tables are in one that is split, which is not distributed. */
const keywordTable = 'keyword_documents';

/** In the order in which rows can be written: Citus accepts a foreign key only to a table that is distributed already. */
export const tablesByUser: readonly string[] = [
  first,
  ...erasedTables.filter((table) => table !== first && table !== 'api_keys').toReversed(),
  keywordTable,
];

/** The tables of the store that exist and are not distributed yet, in the order in which they can be. */
export async function tablesToDistribute(db: Kysely<Database>): Promise<string[]> {
  const names = [...referenceTables, ...tablesByUser];
  const { rows } = await sql<{ name: string }>`
    SELECT name FROM unnest(${names}::text[]) WITH ORDINALITY AS wanted (name, place)
    WHERE to_regclass(name) IS NOT NULL
      AND NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass(name))
    ORDER BY place`.execute(db);
  return rows.map(({ name }) => name);
}

export async function isWhollyDistributed(db: Kysely<Database>): Promise<boolean> {
  return (await tablesToDistribute(db)).length === 0;
}

/** Copies its rows to the nodes; those that the coordinator had stay on its disk until they are truncated. */
export async function distributeTable(db: Kysely<Database>, table: string): Promise<void> {
  if (!tablesByUser.includes(table)) await sql`SELECT create_reference_table(${table}::regclass)`.execute(db);
  else {
    if (table === keywordTable && (await isPartitioned(db, table)) && !(await isPartitioned(db, 'memories')))
      await mergePartitions(db, table);
    await sql`SELECT create_distributed_table(
      ${table}::regclass, ${distributionColumn}, colocate_with => ${table === first ? 'none' : first})`.execute(
      db,
    );
  }
}

async function isPartitioned(db: Kysely<Database>, table: string): Promise<boolean> {
  const { rows } = await sql`SELECT FROM pg_partitioned_table WHERE partrelid = ${table}::regclass`.execute(
    db,
  );
  return rows.length > 0;
}

/** Shards take the place of partitions, each of which would have shards of its own. */
async function mergePartitions(db: Kysely<Database>, table: string): Promise<void> {
  const whole = sql.table(`${table}_whole`);
  await sql`CREATE TABLE ${whole} (LIKE ${sql.table(table)} INCLUDING ALL)`.execute(db);
  await sql`INSERT INTO ${whole} SELECT * FROM ${sql.table(table)}`.execute(db);
  await sql`DROP TABLE ${sql.table(table)}`.execute(db);
  await sql`ALTER TABLE ${whole} RENAME TO ${sql.id(table)}`.execute(db);
}

/** After migrations, in their transaction. */
export async function distributeNewTables(tx: Kysely<Database>): Promise<void> {
  for (const table of await tablesToDistribute(tx)) await distributeTable(tx, table);
}
