/**
 * Runs tests over HTTP on PostgreSQL through PgBouncer in transaction mode, with six sessions for each database.
 * Arguments: test files and patterns, as vitest takes them; by default a choice that takes two minutes.
 */
import { spawn } from 'node:child_process';
import { hasPgbouncer, startPgbouncer } from '../../test/support/pgbouncer.ts';

const chosen = [
  'test/http/memories-write.test.ts',
  'test/http/memories-search.test.ts',
  'test/http/memories-bulk.test.ts',
  'test/http/changes.test.ts',
  'test/http/keyed-acts.test.ts',
  'test/http/facts.test.ts',
  'test/http/user-removed.test.ts',
  'test/derivation/derive.test.ts',
];

function runTests(patterns: readonly string[], pooler: string): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn('npx', ['vitest', 'run', '--mode', 'all', '-t', 'postgres', ...patterns], {
      stdio: 'inherit',
      env: { ...process.env, MEMORYD_TEST_POSTGRES_POOLER: pooler },
    });
    child.once('close', (code) => resolve(code ?? 1));
  });
}

async function main(): Promise<number> {
  const server = process.env.MEMORYD_TEST_POSTGRES_URL;
  if (!server)
    throw new Error('MEMORYD_TEST_POSTGRES_URL is not set: bash scripts/postgres/start.sh prints one.');
  if (!hasPgbouncer) throw new Error('PgBouncer is not installed: apt-get install pgbouncer.');
  const pooler = await startPgbouncer(server);
  try {
    return await runTests(process.argv.length > 2 ? process.argv.slice(2) : chosen, pooler.host);
  } finally {
    await pooler.stop();
  }
}

process.exitCode = await main();
