import type { Kysely } from 'kysely';
import { embedStepKey, embedStepName } from '../../../domain/embedding/embed-step.ts';
import type { Slice, SlicedWork } from '../../../domain/system/engine-maintenance.ts';
import type { FailureReporter } from '../../../lib/failure-log.ts';
import { rest, unlessAborted } from '../../../lib/throttle.ts';
import type { Database } from '../core/schema.ts';
import { UserDatabase } from '../core/user-database.ts';
import { timedWriteOf } from '../core/write-times.ts';
import { type BackfillCursor, cursorAfter, nextDocs } from '../jobs/backfill.ts';
import type { WorkSignals } from '../jobs/work-signals.ts';
import type { SqlDriver } from '../sql-driver.ts';
import type { SpaceRegistry } from './space-registry.ts';
import {
  calibrateSpace,
  changeSpace,
  lockSpaces,
  readSpaces,
  type SpaceRow,
  setTargetSpaces,
  switchTo,
} from './space-table.ts';

const measureAgainMs = 5000;

interface SpaceChangesDeps extends Pick<SqlDriver, 'read' | 'write' | 'writeOf' | 'isShared'> {
  readonly spaces: SpaceRegistry;
  readonly signals: WorkSignals;
  readonly failures: FailureReporter;
}

type RowWithCursor = SpaceRow & { readonly cursor: BackfillCursor };

const nothing: Slice = { more: false, workedMs: 0 };

/**
 * Changes the model while the service runs (ADR 8): begins the space that the configuration
 * asks for, switches to it in one transaction once the step that embeds has filled it, checks
 * every version once more, and empties the former space. Progress is stored with the spaces,
 * so a change continues after a crash, and the first of several processes does the next slice.
 */
export class SpaceChanges implements SlicedWork {
  readonly #deps: SpaceChangesDeps;
  #isTargetSet = false;
  /** When a space whose model did not answer is measured again, by its id: one waits for no other. */
  readonly #measureFrom = new Map<number, number>();

  constructor(deps: SpaceChangesDeps) {
    this.#deps = deps;
  }

  async slice(signal: AbortSignal): Promise<Slice> {
    const { spaces, signals, read, write } = this.#deps;
    const isFirst = !this.#isTargetSet;
    if (isFirst) await write((db) => setTargetSpaces(db, spaces.targets, { at: Date.now() }));
    this.#isTargetSet = true;
    await spaces.refresh(read);
    if (isFirst) signals.added();
    await this.#calibrate(signal);
    const rows = spaces.rows.filter((row): row is RowWithCursor => row.cursor !== undefined);
    const filled = rows.find(({ state }) => state !== 'dropping');
    if (filled) return { more: await this.#complete(filled), workedMs: 0 };
    return rows[0] ? this.#empty(rows[0]) : nothing;
  }

  /** Embedded memories move a change on; without one, reading the spaces after each of them would be for nothing. */
  next(ms: number, signal: AbortSignal): Promise<void> {
    const { spaces, signals } = this.#deps;
    const isChanging = spaces.rows.some(({ cursor }) => cursor !== undefined);
    return isChanging ? signals.nextDoneOfAny(ms, signal) : rest(ms, signal);
  }

  /**
   * Switches to a space, or ends the second check, once all versions that the cursor met have their vectors.
   */
  async #complete({ id, state, cursor, relatedCosine, space, source }: RowWithCursor): Promise<boolean> {
    const { write, spaces } = this.#deps;
    // The step that embeds moves the cursor.
    if (cursor.userId !== undefined) return false;
    const isMeasured =
      relatedCosine !== undefined || !spaces.encoderOf({ space, source })?.measureRelatedCosine;
    if (!isMeasured || (await this.#isWaiting(id, cursor.upTo ?? 0))) return false;
    await write(async (db) => {
      if (state === 'building') return switchTo(db, id);
      await lockSpaces(db);
      await changeSpace(db, id, { state, cursor: undefined });
    });
    return true;
  }

  /**
   * Measures the related cosine of models for which it is
   * unknown; a server that is unreachable is asked again later.
   */
  async #calibrate(signal: AbortSignal): Promise<void> {
    const { spaces, read, write, failures } = this.#deps;
    for (const row of spaces.rows) {
      const measure = row.state === 'dropping' ? undefined : spaces.encoderOf(row)?.measureRelatedCosine;
      const from = this.#measureFrom.get(row.id) ?? 0;
      if (row.relatedCosine !== undefined || !measure || Date.now() < from) continue;
      this.#measureFrom.set(row.id, Date.now() + measureAgainMs);
      const measured = await unlessAborted(
        measure().catch((error: unknown) => failures.failed('space_build', error)),
        signal,
      );
      if (typeof measured !== 'number') continue;
      await write(async (db) => {
        await lockSpaces(db);
        await calibrateSpace(db, row.id, measured);
      });
      await spaces.refresh(read);
    }
  }

  /**
   * Deletes the next vectors of a space, and jobs for them, unless another process does it at the same time.
   */
  async #empty({ id, cursor: { userId } }: RowWithCursor): Promise<Slice> {
    const { write } = this.#deps;
    if (userId === undefined) {
      await write((db) => removeSpace(db, id));
      return { more: true, workedMs: 0 };
    }
    const { workedMs } = await timedWriteOf(this.#deps, userId, async (handle) => {
      const now = (await readSpaces(handle)).find((row) => row.id === id);
      if (now?.cursor?.userId !== userId || now.state !== 'dropping') return;
      const docs = await removeVectors(new UserDatabase(handle, userId), id, now.cursor);
      const cursor = await cursorAfter(handle, { ...now.cursor, userId }, docs);
      await changeSpace(handle, id, { state: 'dropping', cursor });
    });
    return { more: true, workedMs };
  }

  async #isWaiting(space: number, upTo: number): Promise<boolean> {
    // Only versions that the cursor met: with constant writes, some job is always waiting.
    const row = await this.#deps.read
      .selectFrom('jobs')
      .select('doc')
      .where('step', '=', embedStepName)
      .where('version', '=', space)
      .where('due_at', 'is not', null)
      .where('doc', '<=', upTo)
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  }
}

/** @returns the versions that the step met, newest first */
async function removeVectors(
  db: UserDatabase,
  space: number,
  cursor: BackfillCursor,
): Promise<readonly number[]> {
  const docs = await nextDocs(db, cursor);
  const [newest, oldest] = [docs[0], docs[docs.length - 1]];
  if (newest === undefined) return docs;
  const { name, version } = embedStepKey(space);
  await db.tables.deleteFrom('index_segments').where('space', '=', space).execute();
  await db.tables
    .deleteFrom('memory_vectors')
    .where('doc', '>=', oldest)
    .where('doc', '<=', newest)
    .where('space', '=', space)
    .execute();
  await db.tables
    .deleteFrom('jobs')
    .where('doc', '>=', oldest)
    .where('doc', '<=', newest)
    .where('step', '=', name)
    .where('version', '=', version)
    .execute();
  return docs;
}

async function removeSpace(db: Kysely<Database>, id: number): Promise<void> {
  await lockSpaces(db);
  await changeSpace(db, id, { state: 'dropping', cursor: undefined });
  await db.deleteFrom('jobs').where('step', '=', embedStepName).where('version', '=', id).execute();
  await db.deleteFrom('vector_spaces').where('id', '=', id).where('state', '=', 'dropping').execute();
}
