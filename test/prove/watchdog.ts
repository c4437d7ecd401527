import { setTimeout as delay } from 'node:timers/promises';
import type { Server } from '../support/server.ts';

/** Asks a server for a sign of life while it works; where none comes, the server is killed and `signal` aborts. */
export interface Watchdog {
  readonly signal: AbortSignal;
  /** Names a request that is sent; the function that it returns ends it. */
  begin(request: string): () => void;
  /** What was asked when the server stood still. */
  reason(): string;
  end(): void;
}

/** Generous, so that a machine with much else to do is no reason: what it is meant to find takes minutes or hours. */
const patienceMs = 20_000;
const pauseMs = 100;

/** A server does its work in one thread: while `/livez` is not answered, nobody is. */
export function watch(server: Server): Watchdog {
  const inFlight = new Set<string>();
  const stood = new AbortController();
  const ended = new AbortController();
  let reason = '';
  const probe = async (): Promise<void> => {
    while (!ended.signal.aborted && !stood.signal.aborted) {
      const response = await fetch(`${server.url}/livez`, { signal: AbortSignal.timeout(patienceMs) }).catch(
        (error: Error) => error,
      );
      if (ended.signal.aborted) return;
      if (response instanceof Error) {
        const requests = [...inFlight].map((request) => `\n    ${request}`).join('');
        reason = `/livez gave no answer (${response.message}) while these were in flight:${requests}`;
        stood.abort();
        await server.kill();
        return;
      }
      await response.arrayBuffer();
      await delay(pauseMs);
    }
  };
  void probe();
  return {
    signal: stood.signal,
    begin(request) {
      inFlight.add(request);
      return () => inFlight.delete(request);
    },
    reason: () => reason,
    end: () => ended.abort(),
  };
}
