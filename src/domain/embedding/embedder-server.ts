/** How a server that embeds is; `unknown` before its first answer, `open` while it is left alone but for a probe. */
export interface EmbedderHealth {
  readonly state: 'unknown' | 'ok' | 'failing' | 'open';
  /** Of the last failure, without secrets; undefined where the state is `ok` or `unknown`. */
  readonly reason: string | undefined;
  /** Milliseconds that the last request took; undefined before the first. */
  readonly responseTime: number | undefined;
}

/** One request as it ended. */
export interface EmbedderRequest {
  readonly seconds: number;
  readonly succeeded: boolean;
}

/** What watches a server that embeds. */
export interface EmbedderWatcher {
  /** Called once for each change of state. */
  changed(health: EmbedderHealth): void;
  requested(request: EmbedderRequest): void;
}

/** A server that embeds, as operators see it. */
export interface EmbedderServer {
  readonly model: string;
  readonly health: EmbedderHealth;
  /** Begins to watch, and asks the server once whether it is there. */
  watch(watcher: EmbedderWatcher): void;
  /** Ends requests in flight; nothing is asked any more. */
  close(): void;
}
