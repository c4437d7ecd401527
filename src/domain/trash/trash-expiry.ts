import { BackgroundLoop } from '../../lib/background-loop.ts';
import type { FailureReporter } from '../../lib/failure-log.ts';
import { rest } from '../../lib/pace.ts';
import { HOUR_MS } from '../shared/time.ts';
import type { TrashService } from './trash-service.ts';

const retryMs = 60_000;

/** Empties the trash in the background: when the service starts, and every hour. */
export class TrashExpiry extends BackgroundLoop {
  readonly #trash: Pick<TrashService, 'eraseDue'>;

  constructor(trash: Pick<TrashService, 'eraseDue'>, failures: FailureReporter) {
    super('trash_expiry', failures);
    this.#trash = trash;
  }

  protected async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const pause = await this.#trash.eraseDue(signal).then(
        () => HOUR_MS,
        (error: unknown) => {
          this.failed(error);
          return retryMs;
        },
      );
      await rest(pause, signal);
    }
  }
}
