/** A running service and a key for it. */
export interface ServiceAccess {
  /** Without a slash at its end. */
  readonly url: string;
  readonly key: string;
  /** Source of the key, for messages: `MEMORYD_KEY`, `--key`, or a path. */
  readonly keySource: string;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** From its slash, with the query. */
  readonly path: string;
  /** Sent as JSON; undefined: no body. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/** Sends every request of the command line to a service. @throws as `fetch` if no response comes in time */
export function sendRequest({ url, key }: ServiceAccess, request: HttpRequest): Promise<Response> {
  const { method, path, body, headers, timeoutMs } = request;
  return fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(timeoutMs),
  });
}

/** The reason for a missing response, such as `ECONNREFUSED`. */
export function reasonOf(error: unknown): string {
  const { message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  return cause?.code ?? (cause?.message || message);
}
