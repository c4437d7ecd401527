import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';

/** Vite does not read the pattern by which chrono-node exports its languages, as Node does. */
const chronoLanguages = {
  find: /^chrono-node\/(\w+)$/,
  replacement: fileURLToPath(
    new URL('node_modules/chrono-node/dist/esm/locales/$1/index.js', import.meta.url),
  ),
};

/**
 * Test files that take long: those that start services, commands and installations, go through a whole subsystem, or work on
 * large and hostile inputs. `npm test` leaves them out; `npm run test:long` runs them alone, `npm run test:all` with the others.
 */
const long = [
  'test/{acceptance,cli,derivation,llm,mcp,package,prove,retrieval,ui}/**',
  'test/{bench/talks,lab/derivation}.test.ts',
  'test/docs/{cli,day-of-use,deployments}.test.ts',
  'test/http/{encoder,import-forged,instruction-budget,no-long-stretch,oauth-bounds,page-bytes}.test.ts',
  'test/http/{trash-erase-many,trash-large,under-load,user-export,webhooks}.test.ts',
  'src/language/{bounds,text/tokens}.test.ts',
  'src/search-index/vectors/vector-codes.test.ts',
];

export default defineConfig(({ mode }) => ({
  resolve: { alias: [chronoLanguages] },
  test: {
    include:
      mode === 'long'
        ? long.map((pattern) => pattern.replace(/\*\*$/, '**/*.test.ts'))
        : ['{src,ui/src}/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(mode === 'test' ? long : [])],
    globalSetup: 'test/support/announce-engines.ts',
    setupFiles: process.env.MEMORYD_TEST_PLANS ? ['test/support/collect-plans.ts'] : [],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: 'forks',
    // Test files share two processes and what these have loaded: loading the app took as long as testing it.
    poolOptions: { forks: { maxForks: 2, isolate: false } },
    // What a test waits for comes late on a busy machine; the second that is the default would be a timed assertion.
    expect: { poll: { timeout: 30_000, interval: 20 } },
    restoreMocks: true,
  },
}));
