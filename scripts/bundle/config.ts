import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';
import { notices } from './notices.ts';

const dist = fileURLToPath(new URL('../../dist', import.meta.url));
const chrono = fileURLToPath(new URL('../../node_modules/chrono-node', import.meta.url));
const outDir = `${dist}/bundle`;

/** A module of the bundle finds models, threads and the like from where it was compiled to. */
const ownUrls: Plugin = {
  name: 'own-urls',
  enforce: 'pre',
  transform(code, id) {
    if (!id.startsWith(dist) || !code.includes('import.meta.url')) return;
    const path = `${relative(outDir, dirname(id))}/${id.slice(dirname(id).length + 1)}`;
    return {
      code: code.replaceAll('import.meta.url', `new URL('${path}', import.meta.url).href`),
      map: null,
    };
  },
};

/**
 * Makes few files of the compiled program and of the packages that have hundreds: to find, read and link the 1,500 files
 * that a start needed took most of its time. The program's threads, and programs that import it, have the files themselves.
 */
export default defineConfig({
  root: dist,
  logLevel: 'warn',
  plugins: [ownUrls, notices],
  // Vite does not find the languages of this package by its `exports`.
  resolve: {
    alias: [{ find: /^chrono-node\/(\w+)$/, replacement: `${chrono}/dist/esm/locales/$1/index.js` }],
  },
  ssr: { noExternal: ['typebox', 'kysely', 'chrono-node'] },
  build: {
    ssr: true,
    outDir,
    emptyOutDir: true,
    target: 'node20',
    minify: false,
    rollupOptions: {
      input: { program: `${dist}/cli/program.js` },
      preserveEntrySignatures: 'strict',
      output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
    },
  },
});
