import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';

const folder = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** NOTICES.txt: the licences of the packages that are bundled. */
const notices: Plugin = {
  name: 'notices',
  generateBundle() {
    const folders = new Set<string>();
    for (const id of this.getModuleIds()) {
      const found = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0];
      if (found !== undefined && existsSync(`${found}/LICENSE`)) folders.add(found);
    }
    const texts = [...folders].sort().map((path) => {
      const { name, version } = JSON.parse(readFileSync(`${path}/package.json`, 'utf8'));
      return `${name} ${version}\n\n${readFileSync(`${path}/LICENSE`, 'utf8')}`;
    });
    this.emitFile({ type: 'asset', fileName: 'NOTICES.txt', source: texts.join('\n\n') });
  },
};

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
