import type { Kysely } from 'kysely';
import { EmbeddingError } from '../../../domain/embedding/embedder.ts';
import { isUserGone } from '../../../domain/shared/errors.ts';
import { BackgroundLoop } from '../../../lib/background-loop.ts';
import type { FailureReporter } from '../../../lib/failure-log.ts';
import { groupBy } from '../../../lib/group-by.ts';
import { rest, unlessAborted } from '../../../lib/throttle.ts';
import type { DocumentEncoder } from '../../../retrieval/ports.ts';
import { nextRev } from '../core/change-counter.ts';
import type { Database } from '../core/schema.ts';
import { UserDatabase } from '../core/user-database.ts';
import { AwaySpaces } from './away-spaces.ts';
import {
  nextDue,
  type PutOff,
  putOff,
  returnTaken,
  type TakenWork,
  takeWork,
  textsOf,
  type WorkWithText,
} from './embedding-queue.ts';
import type { LiveSpaces } from './live-spaces.ts';
import { insertAllVectors } from './vector-writer.ts';
import type { WorkSignals } from './work-signals.ts';

const batchMax = 128;
/** Texts tried alone, one after another, before the server counts as away. */
const triedAloneMax = 2;
const triesMax = 3;
const retryMs = [2000, 20_000];
/** After the store could not be read or written. */
const storeRetryMs = 500;
/** Work of other processes, and work put off, is looked for this often. */
const lookEveryMs = 1000;
const errorLengthMax = 500;

export interface EmbeddingWorkerParts {
  readonly spaces: LiveSpaces;
  readonly signals: WorkSignals;
  readonly read: Kysely<Database>;
  readonly write: <T>(body: (db: Kysely<Database>) => Promise<T>) => Promise<T>;
  readonly writeOf: <T>(userId: number, body: (db: Kysely<Database>) => Promise<T>) => Promise<T>;
  /** Whether other processes may work on the same store. */
  readonly isShared: boolean;
  /** Whether no other process can have taken work. */
  readonly isOnly: boolean;
  readonly failures: FailureReporter;
}

interface Slow {
  readonly id: number;
  readonly encoder: DocumentEncoder;
}

/** Vectors of the texts that the model took, and why it did not take the others. */
interface Embedded {
  readonly done: readonly { readonly work: WorkWithText; readonly vectors: readonly Int8Array[] }[];
  readonly failed: readonly { readonly work: WorkWithText; readonly error: unknown }[];
  /** Whether the model could not be reached at all. */
  readonly isAway: boolean;
}

/**
 * Embeds in the background what is recorded in `embedding_work`: in batches, the space that serves first. A text that
 * fails three times is given up with its error; while the model's server is away nothing is counted.
 */
export class EmbeddingWorker extends BackgroundLoop {
  readonly #parts: EmbeddingWorkerParts;
  readonly #away = new AwaySpaces();
  embedded = 0;

  constructor(parts: EmbeddingWorkerParts) {
    super('embedding', parts.failures);
    this.#parts = parts;
  }

  /** Whether the model of a space could not be reached at the last try. */
  isAwayFrom(space: number): boolean {
    return this.#away.has(space);
  }

  protected async run(signal: AbortSignal): Promise<void> {
    const { signals, write, isOnly } = this.#parts;
    let isFirst = isOnly;
    while (!signal.aborted) {
      try {
        if (isFirst) await write(returnTaken);
        isFirst = false;
        if (await this.#step()) continue;
      } catch (error) {
        this.failed(error);
        await rest(storeRetryMs, signal);
        continue;
      }
      await signals.nextWork(this.#away.nextTry(lookEveryMs), signal);
    }
  }

  /** @returns whether to look again at once */
  async #step(): Promise<boolean> {
    const spaces = this.#slowSpaces();
    this.#away.retain(new Set(spaces.map(({ id }) => id)));
    for (const slow of spaces) {
      // The model that serves may be gone for good, while that of the next space answers.
      if (this.#away.isLeftAlone(slow.id)) continue;
      const works = await this.#take(slow.id);
      if (works.length === 0) {
        this.#away.settled(slow.id);
        continue;
      }
      const { read } = this.#parts;
      // What a stop leaves is leased, and taken again like that of a crash.
      const embedded = await unlessAborted(embed(slow.encoder, await textsOf(read, works)), this.signal);
      if (!embedded) return false;
      const { done, failed, isAway } = embedded;
      await this.#keep(slow.id, done);
      await this.#putOff(slow.id, failed, isAway);
      if (isAway) {
        this.#away.failed(slow.id);
        continue;
      }
      this.#away.settled(slow.id);
      return true;
    }
    return false;
  }

  #slowSpaces(): Slow[] {
    const { spaces } = this.#parts;
    const slow = spaces.rows.flatMap((row) => {
      const encoder = row.state === 'dropping' ? undefined : spaces.encoderOf(row);
      return encoder && !encoder.encodeNow ? [{ id: row.id, encoder, state: row.state }] : [];
    });
    return slow.sort((a) => (a.state === 'serving' ? -1 : 1));
  }

  async #take(space: number): Promise<TakenWork[]> {
    const { read, write, isShared } = this.#parts;
    const now = Date.now();
    const due = await nextDue(read, space);
    if (due === undefined || due > now) return [];
    return write((db) => takeWork(db, { space, limit: batchMax, now, skipLocked: isShared }));
  }

  /** Work that is gone was erased with its version, or done by another process after the lease. */
  async #keep(space: number, done: Embedded['done']): Promise<void> {
    for (const [userId, own] of groupBy(done, ({ work }) => work.userId)) {
      const written = this.#parts.writeOf(userId, async (handle) => {
        const db = new UserDatabase(handle, userId);
        const lateRev = await nextRev(db, { documents: 0, terms: 0 });
        const byDoc = new Map(own.map(({ work, vectors }) => [work.doc, vectors]));
        const taken = await db.tables
          .deleteFrom('embedding_work')
          .where('doc', 'in', [...byDoc.keys()])
          .where('space', '=', space)
          .returning('doc')
          .execute();
        const versions = taken.map(({ doc }) => ({ doc, vectors: byDoc.get(doc) ?? [] }));
        await insertAllVectors(db, { space, lateRev }, versions);
      });
      await written.catch((error) => {
        // A user who was removed meanwhile needs no vectors; those of the others are still to be kept.
        if (!isUserGone(error)) throw error;
      });
      this.embedded += own.length;
      this.#parts.signals.done(userId);
    }
  }

  async #putOff(space: number, failed: Embedded['failed'], isAway: boolean): Promise<void> {
    if (failed.length === 0) return;
    const now = Date.now();
    const works = failed.map(({ work, error }) => ({ ...work, to: later(work, error, isAway, now) }));
    // Under the user's lock: two transactions that change many rows of one user would wait for each other for good.
    for (const [userId, own] of groupBy(works, (work) => work.userId))
      await this.#parts.writeOf(userId, (db) => putOff(db, space, own));
    for (const { userId } of works) this.#parts.signals.done(userId);
  }
}

function later({ attempts }: TakenWork, error: unknown, isAway: boolean, now: number): PutOff {
  const text = (error instanceof Error ? error.message : String(error)).slice(0, errorLengthMax);
  if (isAway) return { attempts, dueAt: now, error: text };
  const tries = attempts + 1;
  return { attempts: tries, dueAt: tries >= triesMax ? null : now + retryMs[tries - 1], error: text };
}

async function embed(encoder: DocumentEncoder, works: readonly WorkWithText[]): Promise<Embedded> {
  if (works.length === 0) return { done: [], failed: [], isAway: false };
  try {
    const contents = [...new Set(works.map(({ content }) => content))];
    const vectors = await encoder.encode(contents);
    const byContent = new Map(contents.map((content, i) => [content, vectors[i]]));
    const done = works.map((work) => ({ work, vectors: byContent.get(work.content) ?? [] }));
    return { done, failed: [], isAway: false };
  } catch (error) {
    return works.length === 1 && isLasting(error)
      ? { done: [], failed: [{ work: works[0], error }], isAway: false }
      : embedAlone(encoder, works, error);
  }
}

/** Tells a text that the model does not take from a server that takes none. */
async function embedAlone(
  encoder: DocumentEncoder,
  works: readonly WorkWithText[],
  firstError: unknown,
): Promise<Embedded> {
  const done: { work: WorkWithText; vectors: readonly Int8Array[] }[] = [];
  const failed: { work: WorkWithText; error: unknown }[] = [];
  for (const work of works) {
    const isReached = done.length > 0 || failed.some(({ error }) => isLasting(error));
    if (!isReached && failed.length >= triedAloneMax) {
      failed.push({ work, error: firstError });
      continue;
    }
    try {
      const [vectors] = await encoder.encode([work.content]);
      done.push({ work, vectors });
    } catch (error) {
      failed.push({ work, error });
    }
  }
  const isAway = done.length === 0 && !failed.some(({ error }) => isLasting(error));
  return { done, failed, isAway };
}

function isLasting(error: unknown): boolean {
  return error instanceof EmbeddingError ? error.isLasting : true;
}
