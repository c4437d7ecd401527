/** Health of an embedding server: `unknown` before its first response, `open` while its circuit breaker is. */
export interface EmbedderHealth {
  readonly state: 'unknown' | 'ok' | 'failing' | 'open';
  /** Reason of the last failure, without secrets; undefined where the state is `ok` or `unknown`. */
  readonly reason: string | undefined;
  /** Milliseconds that the last request took; undefined before the first. */
  readonly responseTime: number | undefined;
}

/** One request as it ended. */
export interface EmbedderRequest {
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
  /** Begins to watch, and asks the server once whether it is there. */
  watch(watcher: EmbedderWatcher): void;
  /** Ends requests in flight; nothing is asked any more. */
  close(): void;
}
