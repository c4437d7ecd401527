import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { NamedPath } from '../../input/open-inputs.ts';

/** Folders of agents in the home folder, and their parts that are read. */
const places: Readonly<Record<string, { readonly folder: string; readonly members: ReadonlySet<string> }>> = {
  'claude-code': { folder: '.claude', members: new Set(['projects', 'CLAUDE.md']) },
  codex: {
    folder: '.codex',
    members: new Set(['sessions', 'archived_sessions', 'AGENTS.md', 'AGENTS.override.md']),
  },
};

/**
 * The sessions of `claude-code` or `codex` in the home folder; undefined for any other word, and where a file has that name.
 * @throws Error if they are not there
 */
export function findAgent(word: string): NamedPath | undefined {
  const place = Object.hasOwn(places, word) ? places[word] : undefined;
  if (place === undefined || existsSync(word)) return undefined;
  const path = join(homedir(), place.folder);
  if (!existsSync(path)) throw new Error(`There is no ${path}: name the folder with the sessions.`);
  return { path, name: path, members: place.members };
}
