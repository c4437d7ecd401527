import { readFileSync } from 'node:fs';

const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** Version of the package. package.json is two folders above this module, in `src` as in `dist`. */
export const version = manifest.version;
