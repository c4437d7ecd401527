/**
 * Runs tests over HTTP on a store whose tables are split into 8 parts by user, and fails if a statement read more than one
 * part and is not in `over-all-users.ts`: on a cluster it would ask every node, or be refused.
 * Arguments: test files and patterns, as vitest takes them; by default a choice that takes two minutes. With `--distributed`
 * first, the tables count as distributed by Citus (by the stand-in of the tests): the statements that are then sent instead.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { FailureLog } from '../../src/lib/failure-log.ts';
import { distributeNewTables } from '../../src/storage/postgres/citus/distributed-tables.ts';
import { openStore } from '../../src/storage/postgres/open-store.ts';
import { SpaceRegistry } from '../../src/storage/sql/vectors/space-registry.ts';
import { installCitusStandIn } from '../../test/support/citus-stand-in.ts';
import { ofOperators, overAllUsers } from './over-all-users.ts';

const parts = 8;
const distributed = '--distributed';
const listedMax = 10;
const chosen = [
  'test/http/memories-write.test.ts',
  'test/http/memories-list.test.ts',
  'test/http/topics.test.ts',
  'test/http/facts.test.ts',
  'test/http/entities.test.ts',
  'test/http/narratives.test.ts',
  'test/http/patterns.test.ts',
  'test/http/trash.test.ts',
  'test/derivation/relationships.test.ts',
  'test/derivation/derive.test.ts',
];

interface Noted {
  readonly parts: number;
  /** Of plans that read more than one part, or read one and take a lock. */
  readonly text?: string;
}

async function onServer(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

function runTests(patterns: readonly string[], env: Readonly<Record<string, string>>): number {
  const { status } = spawnSync('npx', ['vitest', 'run', '--mode', 'all', '-t', 'postgres', ...patterns], {
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  return status ?? 1;
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

function report(file: string, isDistributed: boolean): boolean {
  const noted = existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Noted]))
    : [];
  const texts = new Map<string, number>();
  for (const { parts, text } of noted)
    if (text !== undefined && (isDistributed || parts > 1))
      texts.set(oneLine(text), (texts.get(oneLine(text)) ?? 0) + 1);
  const listed = [...overAllUsers, ...ofOperators].filter(({ isRefused }) => !(isDistributed && isRefused));
  const unlisted = [...texts].filter(([text]) => !listed.some(({ statement }) => statement.test(text)));
  const many = [...texts.values()].reduce((sum, count) => sum + count, 0);
  console.log(
    `${noted.length} plans, ${many} over several parts, of ${texts.size} statements; ${unlisted.length} not listed`,
  );
  for (const [text, count] of unlisted) console.log(`\n${count} times: ${text.slice(0, 1500)}`);
  const isShort = overAllUsers.length <= listedMax;
  if (!isShort) console.log(`${overAllUsers.length} statements are listed, ${listedMax} may be`);
  return noted.length > 0 && unlisted.length === 0 && isShort;
}

async function main(): Promise<boolean> {
  const server = process.env.MEMORYD_TEST_POSTGRES_URL;
  if (!server)
    throw new Error('MEMORYD_TEST_POSTGRES_URL is not set: bash scripts/postgres/start.sh prints one.');
  const template = `memoryd_parts_${process.pid}`;
  const folder = mkdtempSync(join(tmpdir(), 'memoryd-parts-'));
  await onServer(server, `CREATE DATABASE ${template}`);
  try {
    const url = new URL(server);
    url.pathname = `/${template}`;
    const made = { url: url.toString(), connections: 1, use: 'alone', partitions: parts } as const;
    const store = await openStore(made, {
      spaces: new SpaceRegistry(undefined),
      failures: new FailureLog(),
    });
    const patterns = process.argv.slice(2).filter((each) => each !== distributed);
    const isDistributed = patterns.length < process.argv.length - 2;
    if (isDistributed) {
      await installCitusStandIn(made.url);
      await distributeNewTables(store.db);
    }
    await store.close();
    const file = join(folder, 'plans');
    const status = runTests(patterns.length > 0 ? patterns : chosen, {
      MEMORYD_TEST_POSTGRES_TEMPLATE: template,
      MEMORYD_TEST_PLANS: file,
    });
    return report(file, isDistributed) && status === 0;
  } finally {
    await onServer(server, `DROP DATABASE IF EXISTS ${template} WITH (FORCE)`);
    rmSync(folder, { recursive: true });
  }
}

if (!(await main())) process.exitCode = 1;
