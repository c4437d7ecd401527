import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder of the repository, with a slash at its end. */
export const repository = fileURLToPath(new URL('../../', import.meta.url));

/** Every page that a reader may open, by its path in the repository. */
export function pagePaths(): string[] {
  const below = (folder: string) =>
    readdirSync(`${repository}${folder}`)
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}${name}`);
  return [...below(''), ...below('docs/'), ...below('docs/adr/'), 'bench/README.md', 'lab/README.md'];
}

export const readPage = (path: string) => readFileSync(`${repository}${path}`, 'utf8');

export interface Block {
  /** The word after the three backticks, `sh` for instance. */
  readonly language: string;
  readonly text: string;
}

const fence = /^```([^\n]*)\n([\s\S]*?)^```$/gm;

export function blocksOf(page: string): Block[] {
  return [...page.matchAll(fence)].map(([, language, text]) => ({ language, text }));
}

/** A page without its blocks of code. */
export const proseOf = (page: string) => page.replace(fence, '');
