import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { NamedPath } from '../../input/open-inputs.ts';
import type { ImportRecord, InputFile } from '../reader.ts';
import { textOf } from '../shared/fields.ts';

import { nameFrom } from '../shared/texts.ts';

const repoLengthMax = 200;

/** The name of the folder that an agent works in. */
export function repoOf(cwd: unknown): string | undefined {
  const name = typeof cwd === 'string' ? cwd.split(/[\\/]/).filter(Boolean).at(-1) : undefined;
  return textOf(name)?.slice(0, repoLengthMax);
}

/** A file of rules or notes for an agent as a named memory; a changed one becomes a version. */
export async function rulesRecord(file: InputFile, format: string): Promise<ImportRecord> {
  try {
    const content = await file.text();
    if (content.trim() === '') return { kind: 'leftOut', reason: 'empty file' };
    // From whichever folder of the agent the import began.
    const path = file.path.replace(/^.*?projects\//, '').replace(/\.md$/, '');
    const createdAt = file.modifiedAt?.toISOString();
    const body = { content, memoryType: 'procedural', ...(createdAt !== undefined && { createdAt }) };
    return { kind: 'named', at: file.path, name: nameFrom(format, path), body };
  } catch (error) {
    return { kind: 'refused', at: file.path, reason: (error as Error).message };
  }
}

/** Folders of agents in the home folder, and their parts that are read. */
const places: Readonly<Record<string, { readonly folder: string; readonly members: ReadonlySet<string> }>> = {
  'claude-code': { folder: '.claude', members: new Set(['projects', 'CLAUDE.md']) },
  codex: {
    folder: '.codex',
    members: new Set(['sessions', 'archived_sessions', 'AGENTS.md', 'AGENTS.override.md']),
  },
};

/**
 * The sessions of `claude-code` or `codex` in the home folder; undefined for any other word, and for the name of a file.
 * @throws Error if they are not there
 */
export function findAgent(word: string): NamedPath | undefined {
  const place = Object.hasOwn(places, word) ? places[word] : undefined;
  if (place === undefined || existsSync(word)) return undefined;
  const path = join(homedir(), place.folder);
  if (!existsSync(path)) throw new Error(`There is no ${path}: name the folder with the sessions.`);
  return { path, name: path, members: place.members };
}
