import type { Kysely } from 'kysely';
import { BackgroundLoop } from '../../../lib/background-loop.ts';
import type { FailureReporter } from '../../../lib/failure-log.ts';
import { rest, throttled, unlessAborted } from '../../../lib/throttle.ts';
import type { DocumentEncoder } from '../../../retrieval/ports.ts';
import { nextRev } from '../core/change-counter.ts';
import type { Database } from '../core/schema.ts';
import { UserDatabase } from '../core/user-database.ts';
import { aimAtSpace, switchTo } from './change-spaces.ts';
import type { LiveSpaces } from './live-spaces.ts';
import {
  calibrateSpace,
  lockSpaces,
  moveSpace,
  readSpaces,
  type SpaceRow,
  type SpaceWalk,
} from './space-table.ts';
import { insertAllEmbeddingWork, insertAllVectors } from './vector-writer.ts';
import { announceSpace, dropNext, nextLacking, nextToEmbed, walkOn } from './walk-steps.ts';
import type { WorkSignals } from './work-signals.ts';

const lookEveryMs = 2000;
const retryMs = 5000;
/** Work that may wait for a slow model before the walk goes on. */
const waitingMax = 512;

export interface SpaceBuildParts {
  readonly spaces: LiveSpaces;
  readonly signals: WorkSignals;
  readonly read: Kysely<Database>;
  readonly write: <T>(body: (db: Kysely<Database>) => Promise<T>) => Promise<T>;
  readonly writeOf: <T>(userId: number, body: (db: Kysely<Database>) => Promise<T>) => Promise<T>;
  readonly failures: FailureReporter;
}

type Walking = SpaceRow & { readonly walk: SpaceWalk };

/**
 * Changes the model while the service runs (ADR 8): builds the space that the configuration asks for, switches to it
 * in one transaction, looks once more at every version, and empties what served before; all in short steps whose
 * place is kept with what they wrote, under the lock of the user whose versions they are of. So it goes on after a
 * crash, and of several processes whoever comes first does the next step.
 */
export class SpaceBuild extends BackgroundLoop {
  readonly #parts: SpaceBuildParts;
  #measureFrom = 0;

  constructor(parts: SpaceBuildParts) {
    super('space_build', parts.failures);
    this.#parts = parts;
  }

  protected async run(signal: AbortSignal): Promise<void> {
    const { spaces, signals, read, write } = this.#parts;
    let aimed = false;
    while (!signal.aborted) {
      try {
        if (!aimed) await write((db) => aimAtSpace(db, spaces.wanted, { at: Date.now() }));
        aimed = true;
        await spaces.refresh(read);
        const more = await throttled(() => this.#step(), signal);
        if (!more) await signals.nextDoneOfAny(lookEveryMs, signal);
      } catch (error) {
        this.failed(error);
        await rest(retryMs, signal);
      }
    }
  }

  /** @returns whether another step can follow at once */
  async #step(): Promise<boolean> {
    const { spaces } = this.#parts;
    await this.#calibrate();
    const walking = spaces.rows.filter((row): row is Walking => row.walk !== undefined);
    const filled = walking.find(({ state }) => state !== 'dropping');
    if (!filled) {
      const emptied = walking[0];
      return emptied !== undefined && this.#empty(emptied);
    }
    const encoder = spaces.encoderOf(filled);
    return encoder !== undefined && this.#fill(filled, encoder);
  }

  async #fill(row: Walking, encoder: DocumentEncoder): Promise<boolean> {
    // At the end of the walk only what it met: where something is always being written, something always waits.
    const upTo = row.walk.userId === undefined ? row.walk.upTo : undefined;
    const waiting = encoder.encodeNow ? 0 : await this.#waiting(row.id, upTo);
    if (row.walk.userId !== undefined) {
      if (waiting >= waitingMax) return false;
      await this.#inUser(row, (db, now) => fillNext(db, now, encoder));
      if (!encoder.encodeNow) this.#parts.signals.added();
      return true;
    }
    const isMeasured = row.relatedCosine !== undefined || !encoder.measureRelatedCosine;
    if (waiting > 0 || !isMeasured) return false;
    await this.#parts.write(async (db) => {
      if (row.state === 'building') return switchTo(db, row.id);
      await lockSpaces(db);
      await moveSpace(db, row.id, { walk: undefined });
    });
    return true;
  }

  /** Measures a model of which nobody knows what its cosines mean; a server that is away is asked again later. */
  async #calibrate(): Promise<void> {
    const { spaces, read, write } = this.#parts;
    for (const row of spaces.rows) {
      const measure = row.state === 'dropping' ? undefined : spaces.encoderOf(row)?.measureRelatedCosine;
      if (row.relatedCosine !== undefined || !measure || Date.now() < this.#measureFrom) continue;
      this.#measureFrom = Date.now() + retryMs;
      const measured = await unlessAborted(
        measure().catch((error: unknown) => this.failed(error)),
        this.signal,
      );
      if (typeof measured !== 'number') continue;
      await write(async (db) => {
        await lockSpaces(db);
        await calibrateSpace(db, row.id, measured);
      });
      await spaces.refresh(read);
    }
  }

  async #empty(row: Walking): Promise<boolean> {
    if (row.walk.userId !== undefined) await this.#inUser(row, (db, now) => dropNext(db, row.id, now.walk));
    else await this.#parts.write((db) => removeSpace(db, row.id));
    return true;
  }

  /** One step of a walk within its user's lock, unless another process did it meanwhile. */
  async #inUser(
    { id, state, walk }: Walking,
    step: (db: UserDatabase, row: Walking) => ReturnType<typeof dropNext>,
  ): Promise<void> {
    const { userId } = walk;
    if (userId === undefined) return;
    await this.#parts.writeOf(userId, async (handle) => {
      const now = (await readSpaces(handle)).find((row) => row.id === id);
      if (now?.walk?.userId !== userId || now.state !== state) return;
      const looked = await step(new UserDatabase(handle, userId), { ...now, walk: now.walk });
      await moveSpace(handle, id, { walk: await walkOn(handle, { ...now.walk, userId }, looked) });
    });
  }

  async #waiting(space: number, upTo = Number.MAX_SAFE_INTEGER): Promise<number> {
    const rows = await this.#parts.read
      .selectFrom('embedding_work')
      .select('doc')
      .where('space', '=', space)
      .where('due_at', 'is not', null)
      .where('doc', '<=', upTo)
      .limit(waitingMax)
      .execute();
    return rows.length;
  }
}

/** @returns the versions looked at, newest first */
async function fillNext(db: UserDatabase, { id, state, walk }: Walking, encoder: DocumentEncoder) {
  if (walk.doc === undefined) await announceSpace(db, id);
  const encode = encoder.encodeNow?.bind(encoder);
  if (!encode) {
    const { looked, lacking } = await nextLacking(db, id, walk);
    await insertAllEmbeddingWork(db, id, lacking);
    return looked;
  }
  const { looked, lacking } = await nextToEmbed(db, id, walk);
  // Indexes of a space that serves may have been read already.
  const isLate = state === 'serving' && lacking.length > 0;
  const lateRev = isLate ? await nextRev(db, { documents: 0, terms: 0 }) : null;
  const vectors = lacking.map(({ doc, content }) => ({ doc, vectors: encode(content) }));
  await insertAllVectors(db, { space: id, lateRev }, vectors);
  return looked;
}

async function removeSpace(db: Kysely<Database>, id: number): Promise<void> {
  await lockSpaces(db);
  await db.deleteFrom('vector_spaces').where('id', '=', id).where('state', '=', 'dropping').execute();
}
