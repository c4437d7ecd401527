import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Vite does not read the pattern by which chrono-node exports its languages, as Node does. */
const chronoLanguages = {
  find: /^chrono-node\/(\w+)$/,
  replacement: fileURLToPath(
    new URL('node_modules/chrono-node/dist/esm/locales/$1/index.js', import.meta.url),
  ),
};

export default defineConfig({
  resolve: { alias: [chronoLanguages] },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: 'test/support/announce-engines.ts',
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: 'forks',
    // Test files share two processes and what these have loaded: loading the app took as long as testing it.
    poolOptions: { forks: { maxForks: 2, isolate: false } },
    // What a test waits for comes late on a busy machine; the second that is the default would be a timed assertion.
    expect: { poll: { timeout: 30_000, interval: 20 } },
    restoreMocks: true,
  },
});
