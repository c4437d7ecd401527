import { ApiFailure, ask } from '../api/client.ts';
import type { Page } from '../api/records.ts';

export interface ImportRecord {
  readonly id: string;
  readonly source: string;
  readonly createdAt: string;
  readonly undoneAt?: string;
  readonly created: number;
  readonly updated: number;
  readonly keptEdits: number;
  readonly unchanged: number;
  readonly inTrash: number;
  readonly refused: number;
}

/** The import that is not complete, for this browser to go on with it after a reload. */
const place = 'memoryd.import';

interface Unfinished {
  readonly file: string;
  readonly importId: string;
}

export const forgetUnfinished = () => localStorage.removeItem(place);

const sourceLengthMax = 500;
/** As the command calls them. */
const formats = { lines: 'JSON Lines of memories', list: 'an export of memories' } as const;

const nameOf = ({ name, size, lastModified }: File) => JSON.stringify([name, size, lastModified]);

/** The earlier import of the same file, unless it was undone or is another user's; else a new one. */
export async function beginImport(
  file: File,
  layout: keyof typeof formats,
): Promise<Pick<ImportRecord, 'id' | 'created'>> {
  const kept = JSON.parse(localStorage.getItem(place) ?? 'null') as Unfinished | null;
  if (kept?.file === nameOf(file)) {
    const found = await findImport(kept.importId);
    if (found && found.undoneAt === undefined) return found;
  }
  const source = file.name.slice(-sourceLengthMax).toWellFormed();
  const body = { source, format: formats[layout] };
  const made = await ask<{ data: ImportRecord }>({ method: 'POST', path: '/api/imports', body });
  localStorage.setItem(place, JSON.stringify({ file: nameOf(file), importId: made.body.data.id }));
  return made.body.data;
}

const pollMs = 2000;
const pollsMax = 300;

/** Waits after a request whose work took longer than a response may take, and goes on in the service. */
async function finished(run: () => Promise<unknown>, isOver: () => Promise<boolean>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!isLate(error)) throw error;
    for (let polls = 0; !(await isOver()); polls++) {
      if (polls === pollsMax) throw error;
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  }
}

const isLate = (error: unknown) => error instanceof ApiFailure && error.code === 'DEADLINE_EXCEEDED';

async function findImport(importId: string): Promise<ImportRecord | undefined> {
  const { body } = await ask<Page<ImportRecord>>({ path: '/api/imports', query: { limit: 1000 } });
  return body.data.find(({ id }) => id === importId);
}

/** Moves all that the import stored to the trash. */
export async function moveToTrash(id: string): Promise<void> {
  const run = () => ask({ method: 'DELETE', path: `/api/imports/${id}` });
  // Another undo completes the first one, and says when it is.
  await finished(run, async () => {
    try {
      await run();
      return true;
    } catch (error) {
      if (isLate(error)) return false;
      throw error;
    }
  });
}

/** Brings back all that an undo moved to the trash. */
export async function bringBack(id: string): Promise<void> {
  await finished(
    () => ask({ method: 'POST', path: `/api/imports/${id}/restore` }),
    async () => {
      const found = await findImport(id);
      return found !== undefined && found.undoneAt === undefined;
    },
  );
}
