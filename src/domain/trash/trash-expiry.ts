import { rest } from '../../lib/pace.ts';
import { HOUR_MS } from '../shared/time.ts';
import type { TrashService } from './trash-service.ts';

const retryMs = 60_000;

/** Empties the trash in the background: when the service starts, and every hour. */
export class TrashExpiry {
  readonly #trash: Pick<TrashService, 'eraseDue'>;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;

  constructor(trash: Pick<TrashService, 'eraseDue'>) {
    this.#trash = trash;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Resolves when nothing runs any more; what was begun is taken up at the next start. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const pause = await this.#trash.eraseDue(signal).then(
        () => HOUR_MS,
        () => retryMs,
      );
      await rest(pause, signal);
    }
  }
}
