import type { ImportRecord, InputFile } from '../reader.ts';
import { textOf } from '../shared/json.ts';
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
