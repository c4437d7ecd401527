import type { Kysely } from 'kysely';
import type { EmbeddingProgress } from '../../../domain/embedding/embedding-progress.ts';
import type { SpaceDirectory } from '../../../domain/embedding/space-embedder.ts';
import type { Database } from '../schema.ts';
import { EmbeddingWorker } from './embedding-worker.ts';
import type { LiveSpaces } from './live-spaces.ts';
import { SpaceBuild } from './space-build.ts';
import { SqlEmbeddingProgress } from './sql-embedding-progress.ts';
import { WorkSignals } from './work-signals.ts';

export interface VectorUpkeepParts {
  readonly read: Kysely<Database>;
  readonly write: <T>(body: (db: Kysely<Database>) => Promise<T>) => Promise<T>;
  readonly writeOf: <T>(userId: number, body: (db: Kysely<Database>) => Promise<T>) => Promise<T>;
  readonly spaces: LiveSpaces;
  /** Whether other processes may serve the same store. */
  readonly isShared: boolean;
}

/** What keeps vectors in step with the records beside the writes: a change of model, and models too slow for a write. */
export class VectorUpkeep {
  /** What the rest of the service asks of it. */
  readonly ports: SpaceDirectory & { readonly embedding: EmbeddingProgress };
  readonly #signals = new WorkSignals();
  readonly #build: SpaceBuild;
  readonly #worker: EmbeddingWorker;
  readonly #spaces: LiveSpaces;

  constructor(parts: VectorUpkeepParts) {
    const signals = this.#signals;
    this.#spaces = parts.spaces;
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
  }

  /** Has the work embedded that a transaction recorded, once that is committed. */
  after<T>(written: Promise<T>): Promise<T> {
    if (this.#spaces.hasSlow)
      written.then(
        () => this.#signals.added(),
        () => undefined,
      );
    return written;
  }
}
