import { Client } from 'pg';
import { distributeStore } from '../../src/storage/postgres/citus/distribute.ts';

/** `host:port` of the workers of the test server, which is then a coordinator of Citus (`scripts/citus/run.sh`). */
const workers = (process.env.MEMORYD_TEST_CITUS_WORKERS ?? '').split(',').filter((worker) => worker !== '');
export const hasCitus = workers.length > 0;

async function query(url: URL, ...statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: url.toString() });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

function at(url: URL, worker: string, database: string): URL {
  const other = new URL(url);
  other.host = worker;
  other.pathname = `/${database}`;
  return other;
}

/** Makes a new database of the coordinator one of the cluster, with a store whose tables are distributed. */
export async function joinCluster(database: string): Promise<void> {
  const url = new URL(database);
  const name = url.pathname.slice(1);
  for (const worker of workers) {
    await query(at(url, worker, 'postgres'), `CREATE DATABASE ${name}`);
    await query(at(url, worker, name), 'CREATE EXTENSION citus');
  }
  await query(
    url,
    'CREATE EXTENSION citus',
    `SELECT citus_set_coordinator_host('${url.hostname}', ${url.port})`,
    ...workers.map((worker) => `SELECT citus_add_node('${worker.split(':')[0]}', ${worker.split(':')[1]})`),
  );
  await distributeStore({ url: database }, () => undefined);
}

/** Call after the database of the coordinator is dropped. */
export async function leaveCluster(database: string): Promise<void> {
  const url = new URL(database);
  for (const worker of workers)
    await query(at(url, worker, 'postgres'), `DROP DATABASE IF EXISTS ${url.pathname.slice(1)} WITH (FORCE)`);
}
