/**
 * Health of an embedding server: `unknown` before its first
 * response, `open` while its circuit breaker is open.
 */
export interface EmbedderHealth {
  readonly state: 'unknown' | 'ok' | 'failing' | 'open';
  /** Reason of the last failure, without secrets; undefined if the state is `ok` or `unknown`. */
  readonly reason: string | undefined;
  /** Duration of the last request in milliseconds; undefined before the first. */
  readonly responseTime: number | undefined;
}

/** A finished request. */
interface EmbedderRequest {
  readonly seconds: number;
  readonly succeeded: boolean;
}

/** Observer of an embedding server. */
export interface EmbedderWatcher {
  /** Called once for each change of state. */
  changed(health: EmbedderHealth): void;
  requested(request: EmbedderRequest): void;
}

/** An embedding server, as operators see it. */
export interface EmbedderServer {
  readonly model: string;
  readonly health: EmbedderHealth;
  /** Registers the observer and probes the server once. */
  watch(watcher: EmbedderWatcher): void;
  /** Ends requests in flight; no more are sent. */
  close(): void;
}
