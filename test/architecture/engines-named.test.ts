import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

/** What a run of one small test file prints. */
function runWith(postgresUrl: string): string {
  const env = { ...process.env, MEMORYD_TEST_POSTGRES_URL: postgresUrl };
  const vitest = 'node_modules/vitest/vitest.mjs';
  return execFileSync(process.execPath, [vitest, 'run', 'src/lib/random.test.ts'], { env, encoding: 'utf8' });
}

it('a run without PostgreSQL says that it was skipped, and a run with it does not', () => {
  expect(runWith('')).toContain('PostgreSQL was skipped: set MEMORYD_TEST_POSTGRES_URL to include it');
  expect(runWith('postgres://named.invalid/any')).not.toContain('skipped');
});
