import type { FailureReporter } from '../lib/failure-log.ts';

/** Error codes of a closed socket or pipe: a client, the database or a model server disconnected. */
const goneCodes = /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ERR_STREAM_)/;

/** The part of `process` that the handlers use, so that tests can pass another. */
interface FaultSource {
  on(event: 'unhandledRejection' | 'uncaughtException', listener: (error: unknown) => void): unknown;
}

function isGoneConnection(error: unknown): boolean {
  return goneCodes.test((error as { code?: string } | undefined)?.code ?? '');
}

/**
 * Logs uncaught errors with their stack:
 * - a rejected promise leaves nothing half done except for its
 *   awaiters, of which there are none: the process continues;
 * - an error of a connection concerns only that connection, which has closed itself: the process continues;
 * - any other error was thrown within a callback and leaves an
 *   unknown state: `end` is called, and the supervisor restarts
 *   the process. Acknowledged writes are in the store.
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
