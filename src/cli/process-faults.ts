import type { FailureReporter } from '../lib/failure-log.ts';

/** Error codes of a closed socket or pipe: a client, the database or a model server disconnected. */
const goneCodes = /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ERR_STREAM_)/;

/** The part of `process` that the handlers use, so that tests can pass another. */
export interface FaultSource {
  on(event: 'unhandledRejection' | 'uncaughtException', listener: (error: unknown) => void): unknown;
}

function isGoneConnection(error: unknown): boolean {
  return goneCodes.test((error as { code?: string } | undefined)?.code ?? '');
}

/**
 * What nobody caught, logged with its place in the code:
 * - a rejected promise leaves nothing half done, but for what awaited it, and that is nothing: the process goes on;
 * - an error of a connection concerns that connection, which has closed itself: the process goes on;
 * - anything else was thrown in the middle of some callback, and what it left behind nobody knows: `end` is called, and
 *   whatever supervises the process starts it again. What was acknowledged is in the store.
 */
export function watchFaults(
  source: FaultSource,
  { failures, end }: { readonly failures: FailureReporter; readonly end: (error: unknown) => void },
): void {
  source.on('unhandledRejection', (error) => failures.failed('process', error));
  source.on('uncaughtException', (error) => {
    failures.failed('process', error);
    if (!isGoneConnection(error)) end(error);
  });
}
