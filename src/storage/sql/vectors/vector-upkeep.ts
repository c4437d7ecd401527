import type { Kysely } from 'kysely';
import type { EmbeddingProgress } from '../../../domain/embedding/embedding-progress.ts';
import type { SpaceDirectory } from '../../../domain/embedding/space-embedder.ts';
import type { FailureReporter } from '../../../lib/failure-log.ts';
import { rest } from '../../../lib/throttle.ts';
import type { OnProgress } from '../../upkeep.ts';
import type { Database } from '../core/schema.ts';
import { aimAtSpace } from './change-spaces.ts';
import { countWork } from './embedding-queue.ts';
import { EmbeddingWorker } from './embedding-worker.ts';
import type { LiveSpaces } from './live-spaces.ts';
import { SpaceBuild } from './space-build.ts';
import { isSpace, readSpaces } from './space-table.ts';
import { SqlEmbeddingProgress } from './sql-embedding-progress.ts';
import { WorkSignals } from './work-signals.ts';

const progressEveryMs = 200;

export interface VectorUpkeepParts {
  readonly read: Kysely<Database>;
  readonly write: <T>(body: (db: Kysely<Database>) => Promise<T>) => Promise<T>;
  readonly writeOf: <T>(userId: number, body: (db: Kysely<Database>) => Promise<T>) => Promise<T>;
  readonly spaces: LiveSpaces;
  /** Whether other processes may serve the same store. */
  readonly isShared: boolean;
  /** Whether no other process can have taken work. */
  readonly isOnly: boolean;
  readonly failures: FailureReporter;
}

/** What keeps vectors in step with the records beside the writes: a change of model, and models too slow for a write. */
export class VectorUpkeep {
  /** What the rest of the service asks of it. */
  readonly ports: SpaceDirectory & { readonly embedding: EmbeddingProgress };
  readonly #signals = new WorkSignals();
  readonly #build: SpaceBuild;
  readonly #worker: EmbeddingWorker;
  readonly #parts: VectorUpkeepParts;

  constructor(parts: VectorUpkeepParts) {
    const signals = this.#signals;
    this.#parts = parts;
    this.#build = new SpaceBuild({ ...parts, signals });
    this.#worker = new EmbeddingWorker({ ...parts, signals });
    this.ports = {
      embedding: new SqlEmbeddingProgress({ ...parts, signals, worker: this.#worker }),
      spaceOf: (id) => parts.spaces.find(parts.read, id),
    };
  }

  start(): void {
    this.#build.start();
    this.#worker.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#build.stop(), this.#worker.stop()]);
    this.#parts.spaces.close();
  }

  /** Makes all vectors anew, in steps that other processes may take too. @throws where none are asked for */
  async rebuild(onProgress: OnProgress): Promise<void> {
    const { spaces, read, write } = this.#parts;
    const { wanted } = spaces;
    if (!wanted) throw new Error('Nothing is embedded: MEMORYD_EMBEDDER is none.');
    await write((db) => aimAtSpace(db, wanted, { at: Date.now(), anew: true }));
    this.start();
    try {
      for (;;) {
        const newest = (await readSpaces(read)).findLast((row) => isSpace(row, wanted.space));
        if (!newest || newest.state === 'dropping') throw new Error('Another process gave the rebuild up.');
        if (newest.state === 'serving' && !newest.walk) return;
        const { waiting } = await countWork(read, newest.id);
        const { done, total } = newest.walk ?? { done: 0, total: 0 };
        onProgress(Math.max(0, done - waiting), total);
        await rest(progressEveryMs);
      }
    } finally {
      await this.stop();
    }
  }

  /** Has the work embedded that a transaction recorded, once that is committed. */
  after<T>(written: Promise<T>): Promise<T> {
    if (this.#parts.spaces.hasSlow)
      written.then(
        () => this.#signals.added(),
        // Whoever wrote is told: `written` is theirs.
        () => undefined,
      );
    return written;
  }
}
