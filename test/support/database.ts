import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Client } from 'pg';
import { hasCitus, joinCluster, leaveCluster } from './citus-cluster.ts';
import { newTempFolder } from './temp-folder.ts';

export type Engine = 'sqlite' | 'postgres';

/** One empty store of its own; `url` is what `MEMORYD_DATABASE_URL` takes. */
export interface TestDatabase {
  engine: Engine;
  url: string;
  drop(): Promise<void>;
}

export const postgresTestUrl = process.env.MEMORYD_TEST_POSTGRES_URL || undefined;

/** The engines that this run can test: SQLite always, PostgreSQL when a test server is named. */
export const engines: readonly Engine[] = postgresTestUrl ? ['sqlite', 'postgres'] : ['sqlite'];

const explained = [
  'session_preload_libraries=auto_explain',
  'client_min_messages=log',
  'auto_explain.log_min_duration=0',
  'auto_explain.log_format=json',
]
  .map((setting) => `-c ${setting}`)
  .join(' ');

export const postgresSkipped = postgresTestUrl
  ? undefined
  : 'PostgreSQL was skipped: set MEMORYD_TEST_POSTGRES_URL to include it (bash scripts/postgres/start.sh prints the URL).';

/** An empty SQLite file in a folder of its own, or an empty database on the PostgreSQL test server. */
export async function newDatabase(engine: Engine): Promise<TestDatabase> {
  return engine === 'sqlite' ? newSqliteDatabase() : newPostgresDatabase();
}

function newSqliteDatabase(): TestDatabase {
  const folder = newTempFolder('store');
  return {
    engine: 'sqlite',
    url: `sqlite:${join(folder.path, 'memoryd.db')}`,
    drop: async () => folder.remove(),
  };
}

async function newPostgresDatabase(): Promise<TestDatabase> {
  const name = `memoryd_test_${randomBytes(8).toString('hex')}`;
  const template = process.env.MEMORYD_TEST_POSTGRES_TEMPLATE;
  await runOnServer(`CREATE DATABASE ${name}${template === undefined ? '' : ` TEMPLATE ${template}`}`);
  const url = new URL(serverUrl());
  url.pathname = `/${name}`;
  if (hasCitus) await joinCluster(url.toString());
  // A pooler before the server, for what uses the database.
  url.host = process.env.MEMORYD_TEST_POSTGRES_POOLER ?? url.host;
  // Every plan as a notice of its connection, see `collect-plans.ts`.
  if (process.env.MEMORYD_TEST_PLANS !== undefined) url.searchParams.set('options', explained);
  return {
    engine: 'postgres',
    url: url.toString(),
    drop: async () => {
      await runOnServer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      if (hasCitus) await leaveCluster(url.toString());
    },
  };
}

async function runOnServer(statement: string): Promise<void> {
  const client = new Client({ connectionString: serverUrl() });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

function serverUrl(): string {
  if (!postgresTestUrl) throw new Error(postgresSkipped);
  return postgresTestUrl;
}

/** The path of a `sqlite:` URL. */
export function sqlitePath(url: string): string {
  if (!url.startsWith('sqlite:')) throw new Error(`not a SQLite URL: ${url}`);
  return url.slice('sqlite:'.length);
}
