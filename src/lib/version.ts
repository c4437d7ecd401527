import { readFileSync } from 'node:fs';

const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** Version of the package, as in package.json, which lies two folders above both `src` and `dist`. */
export const version = manifest.version;
