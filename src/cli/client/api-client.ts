import { setTimeout as wait } from 'node:timers/promises';
import { backOffMs } from '../../lib/async.ts';

export interface ApiResponse {
  readonly status: number;
  /** Parsed JSON; empty if the body is not JSON. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Whether an earlier run had this response already. */
  readonly replayed: boolean;
  /** ETag of the record in the body. */
  readonly etag: string | undefined;
}

export interface ApiRequest {
  /** POST with a body, else GET. */
  readonly method?: HttpRequest['method'];
  readonly path: string;
  readonly body?: unknown;
  readonly idempotencyKey?: string;
  /** The ETag that the record must have. */
  readonly ifMatch?: string;
  /** How long to wait for one response; undefined: 90 s. */
  readonly timeoutMs?: number;
  /** How long to wait for a busy service. */
  readonly patienceMs?: number;
  /** Maximum wait for a service that does not respond at all; undefined: the same as for a busy one. */
  readonly unreachableRetryMs?: number;
}

/** The service is unreachable, busy for too long, or refuses the key; or the command was interrupted. */
export class RequestAbandonedError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'RequestAbandonedError';
  }
}

const requestTimeoutMs = 90_000;
const patienceDefaultMs = 120_000;
const backOff = { first: 250, most: 10_000 };
const passing: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const never = new AbortController().signal;

/** Sends requests to one service with one key; retries after transient failures. */
export class ApiClient {
  readonly #service: ServiceAccess;
  readonly #signal: AbortSignal;

  /** @param signal ends waiting between tries; requests in flight are finished */
  constructor(service: ServiceAccess, signal: AbortSignal = never) {
    this.#service = service;
    this.#signal = signal;
  }

  get url(): string {
    return this.#service.url;
  }

  /** @throws RequestAbandonedError if the time to wait is over, the key is refused, or the signal fired */
  async send(request: ApiRequest): Promise<ApiResponse> {
    const { url } = this.#service;
    const { patienceMs = patienceDefaultMs, unreachableRetryMs = patienceMs } = request;
    let waitedMs = 0;
    for (let attempt = 0; ; attempt++) {
      const startedAt = performance.now();
      const { response, failure } = await this.#attempt(request);
      if (response && !passing.has(response.status)) {
        // Not a repetition if an earlier try of this run completed the request and its response was lost.
        return attempt === 0 ? response : { ...response, replayed: false };
      }
      // One that never responds is waited for as well.
      if (!response) waitedMs += performance.now() - startedAt;
      const delayMs = Math.max(retryAfterMs(response), backOffMs(attempt + 1, backOff));
      if (waitedMs + delayMs > (response ? patienceMs : unreachableRetryMs))
        throw new RequestAbandonedError(`${url} is not available: ${failure ?? describe(response)}`);
      await this.#pause(delayMs);
      waitedMs += delayMs;
    }
  }

  async #attempt(request: ApiRequest): Promise<{ response?: Responded; failure?: string }> {
    if (this.#signal.aborted) throw new RequestAbandonedError('interrupted');
    try {
      return { response: await this.#request(request) };
    } catch (error) {
      if (error instanceof RequestAbandonedError) throw error;
      return {
        failure: `no answer (${reasonOf(error)}). Is memoryd running there? \`npx memoryd serve\` starts it`,
      };
    }
  }

  async #request({
    method,
    path,
    body,
    idempotencyKey,
    ifMatch,
    timeoutMs = requestTimeoutMs,
  }: ApiRequest): Promise<Responded> {
    const { url, keySource } = this.#service;
    const response = await sendRequest(this.#service, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      path,
      body,
      headers: {
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        ...(ifMatch !== undefined && { 'if-match': ifMatch }),
      },
      timeoutMs,
    });
    const responded = {
      status: response.status,
      body: parseObject(await response.text()),
      replayed: response.headers.get('idempotency-replayed') === 'true',
      etag: response.headers.get('etag') ?? undefined,
      retryAfter: response.headers.get('retry-after'),
    };
    if (responded.status === 401 || responded.status === 403)
      throw new RequestAbandonedError(
        `${url} does not accept the key of ${keySource}: ${describe(responded)}`,
      );
    return responded;
  }

  async #pause(ms: number): Promise<void> {
    // It rejects only if the import is interrupted, which the next attempt sees.
    await wait(ms, undefined, { signal: this.#signal }).catch(() => undefined);
  }
}

/** For the first request of a command, to find out soon that nothing is there. */
const firstWait = { patienceMs: 3000, timeoutMs: 10_000 };

/** @throws Error if no service of this API responds within some ten seconds, RequestAbandonedError if it refuses the key */
export async function assertService(api: ApiClient): Promise<void> {
  const response = await api.send({ path: '/api/users/me', ...firstWait });
  const id = (response.body.data as { id?: unknown } | undefined)?.id;
  if (response.status !== 200 || typeof id !== 'string')
    throw new Error(`${api.url} does not answer as memoryd does: ${describe(response)}`);
}

interface Responded extends ApiResponse {
  readonly retryAfter: string | null;
}

/** The error message of a response. */
export function describe(response: Pick<ApiResponse, 'status' | 'body'> | undefined): string {
  const error = response?.body.error;
  return typeof error === 'string' ? error : `it answered with status ${response?.status}`;
}

function retryAfterMs(response: Responded | undefined): number {
  const seconds = Number(response?.body.retryAfter ?? response?.retryAfter ?? 0);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 0;
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    // A body that is not JSON: the caller uses its status.
    return {};
  }
}

const cliAgent = 'memoryd-cli';

/** A running service and a key for it. */
export interface ServiceAccess {
  /** Without a slash at its end. */
  readonly url: string;
  readonly key: string;
  /** Source of the key, for messages: `MEMORYD_KEY`, `--key`, or a path. */
  readonly keySource: string;
  /** The name by which the program calls itself; undefined: memoryd-cli. */
  readonly agent?: string;
}

interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** From its slash, with the query. */
  readonly path: string;
  /** Sent as JSON; undefined: no body. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/** Sends every request of the command line to a service. @throws as `fetch` if no response comes in time */
export function sendRequest(
  { url, key, agent = cliAgent }: ServiceAccess,
  request: HttpRequest,
): Promise<Response> {
  const { method, path, body, headers, timeoutMs } = request;
  return fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      'user-agent': agent,
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
