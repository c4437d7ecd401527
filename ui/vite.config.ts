import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { notices } from '../scripts/bundle/notices.ts';

const folder = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** `npx vite ui` serves the sources against the service at MEMORYD_URL; `scripts/build.mjs` makes dist/ui. */
export default defineConfig({
  root: folder('.'),
  base: '/ui/',
  plugins: [notices],
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
  build: {
    outDir: folder('../dist/ui'),
    emptyOutDir: true,
    target: 'es2022',
    // The policy of the page allows no inline script, and a data: URL is no file with a name.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: {
    proxy: { '^/(api|health|livez)': process.env.MEMORYD_URL ?? 'http://127.0.0.1:3000' },
  },
  logLevel: 'warn',
});
