import { trashArtifact } from '../artifacts/artifact-service.ts';
import { trashFact } from '../facts/fact-service.ts';
import { AppError } from '../shared/errors.ts';
import type { UserRef } from '../shared/user-ref.ts';
import { type Write, type WriteDeps, writeAs } from '../shared/write.ts';
import type { TrashService } from '../trash/trash-service.ts';
import type { RecordEntry } from './import.ts';

const recordsAtOnce = 32;

/** Facts and artifacts. */
export interface RecordsMoved {
  readonly facts: number;
  readonly artifacts: number;
}

/**
 * Moves the facts and artifacts that an import created to the trash, each with an entry of its own, but those whose
 * memories are there: they come back with these.
 */
export async function trashRecords(deps: WriteDeps, user: UserRef, importId: string): Promise<RecordsMoved> {
  const moved = { facts: 0, artifacts: 0 };
  for (const kind of ['facts', 'artifacts'] as const)
    for (let count = recordsAtOnce; count === recordsAtOnce; moved[kind] += count)
      count = await writeAs(deps, user, (write) => trashSome(write, importId, kind));
  return moved;
}

async function trashSome(write: Write, importId: string, kind: keyof RecordsMoved): Promise<number> {
  const { artifacts, facts, imports } = write.tx;
  const ids = await imports.recordsOf(importId, kind, recordsAtOnce);
  if (ids.length === 0) return 0;
  if (kind === 'facts') for (const fact of await facts.findMany(ids)) await trashFact(write, fact);
  else
    for (const artifact of await artifacts.findMany(ids)) if (artifact) await trashArtifact(write, artifact);
  return ids.length;
}

interface RestoreDeps extends WriteDeps {
  readonly trash: TrashService;
}

/**
 * Restores facts, artifacts and conversations without memories that an import created and that were deleted at
 * `since` or later; those whose owners are in the trash stay there.
 */
export async function restoreRecords(
  { stores, trash }: RestoreDeps,
  user: UserRef,
  { importId, since }: { readonly importId: string; readonly since: number },
): Promise<RecordsMoved> {
  const moved = { fact: 0, artifact: 0, conversation: 0 };
  const left = new Set<string>();
  const restore = async ({ id, kind }: RecordEntry) => {
    try {
      await trash.restore(user, id);
      moved[kind as keyof typeof moved]++;
    } catch (error) {
      if (!(error instanceof AppError && error.status < 500)) throw error;
      // Its owner is in the trash, or another request was faster.
      left.add(id);
    }
  };
  for (;;) {
    const { imports } = stores.forUser(user);
    const found = await imports.recordEntriesOf(importId, since, recordsAtOnce + left.size);
    const entries = found.filter(({ id }) => !left.has(id));
    if (entries.length === 0) return { facts: moved.fact, artifacts: moved.artifact };
    // Queued together, they share a commit.
    await Promise.all(entries.map(restore));
  }
}
