import { readdirSync, readFileSync } from 'node:fs';
import type { Plugin } from 'vite';

const licence = /^licen[cs]e(\.\w+)?$/i;

/** Makes NOTICES.txt: the licences of the packages that are bundled. */
export const notices: Plugin = {
  name: 'notices',
  generateBundle() {
    const folders = new Set<string>();
    for (const id of this.getModuleIds()) {
      const found = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0];
      if (found !== undefined) folders.add(found);
    }
    const texts = [...folders].sort().flatMap((path) => {
      const { name, version } = JSON.parse(readFileSync(`${path}/package.json`, 'utf8'));
      const files = readdirSync(path).filter((file) => licence.test(file));
      return files.map((file) => `${name} ${version}\n\n${readFileSync(`${path}/${file}`, 'utf8')}`);
    });
    this.emitFile({ type: 'asset', fileName: 'NOTICES.txt', source: texts.join('\n\n') });
  },
};
