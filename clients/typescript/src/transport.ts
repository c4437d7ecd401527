import { errorOf, MemorydError } from './errors.js';

export interface ClientOptions {
  /** Default: the variable MEMORYD_URL, else http://localhost:3000. */
  readonly url?: string;
  /** An API key; default: the variable MEMORYD_KEY. */
  readonly key?: string;
  /** For each attempt; default 30,000. */
  readonly timeoutMs?: number;
  /** Further attempts after a failure that may pass; default 2. */
  readonly retries?: number;
  /** Default: the global one. */
  readonly fetch?: typeof fetch;
}

export interface CallOptions {
  /** One for each act; a POST without one gets its own, so that it is done once however often it is sent. */
  readonly idempotencyKey?: string;
  /** An ETag: 412 unless the record still has it. */
  readonly ifMatch?: string;
  readonly signal?: AbortSignal;
}

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly answer: 'json' | 'text' | 'none';
  readonly params?: object;
  /** Names of `params` that go into the address; the others are the body. */
  readonly query?: readonly string[];
  readonly hasBody?: boolean;
}

const waitMaxMs = 30_000;
const firstWaitMs = 250;

declare const process: { readonly env: Readonly<Record<string, string | undefined>> } | undefined;
const variable = (name: string) => (typeof process === 'undefined' ? undefined : process.env[name]);

/** Requests with their key, retries and errors. */
export class Transport {
  readonly url: string;
  readonly #key: string;
  readonly #timeoutMs: number;
  readonly #retries: number;
  readonly #fetch: typeof fetch;

  constructor(options: ClientOptions = {}) {
    this.url = (options.url ?? variable('MEMORYD_URL') ?? 'http://localhost:3000').replace(/\/+$/, '');
    const key = options.key ?? variable('MEMORYD_KEY');
    if (!key)
      throw new MemorydError(
        'There is no API key: pass { key }, or set MEMORYD_KEY (memoryd keeps its first key in data/first-key).',
      );
    this.#key = key;
    this.#timeoutMs = options.timeoutMs ?? 30_000;
    this.#retries = options.retries ?? 2;
    this.#fetch = options.fetch ?? fetch;
  }

  protected async call<T>(call: Call, options: CallOptions): Promise<T> {
    const response = await this.send(call, options);
    if (call.answer === 'none') return undefined as T;
    return (call.answer === 'text' ? await response.text() : await response.json()) as T;
  }

  /** The response, if it is a success. @throws MemorydError */
  protected async send(call: Call, options: CallOptions, timeoutMs = this.#timeoutMs): Promise<Response> {
    const { address, init } = this.#request(call, options);
    for (let attempt = 0; ; attempt++) {
      const got = await this.#attempt(address, init, options.signal, timeoutMs);
      if (got instanceof Response && got.ok) return got;
      options.signal?.throwIfAborted();
      if (attempt >= this.#retries || !isRetried(call.method, got)) throw await this.#errorOf(got);
      const waitMs = msUntil(attempt, got);
      if (got instanceof Response) await got.body?.cancel();
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }

  #request({ method, path, params = {}, query = [], hasBody }: Call, options: CallOptions) {
    const given = Object.entries(params).filter(([, value]) => value !== undefined);
    const inQuery = given.filter(([name, value]) => query.includes(name) && value !== null);
    const search = new URLSearchParams(inQuery.map(([name, value]) => [name, String(value)]));
    const headers: Record<string, string> = { authorization: `Bearer ${this.#key}` };
    if (method === 'POST') headers['idempotency-key'] = options.idempotencyKey ?? crypto.randomUUID();
    if (options.ifMatch !== undefined) headers['if-match'] = options.ifMatch;
    if (hasBody) headers['content-type'] = 'application/json';
    const body = hasBody
      ? JSON.stringify(Object.fromEntries(given.filter(([name]) => !query.includes(name))))
      : undefined;
    const address = `${this.url}${path}${search.size > 0 ? `?${search}` : ''}`;
    return { address, init: { method, headers, body } };
  }

  async #attempt(address: string, init: RequestInit, signal: AbortSignal | undefined, timeoutMs: number) {
    const signals = [...(timeoutMs > 0 ? [AbortSignal.timeout(timeoutMs)] : []), ...(signal ? [signal] : [])];
    try {
      return await this.#fetch(address, { ...init, signal: AbortSignal.any(signals) });
    } catch (error) {
      return error as Error;
    }
  }

  async #errorOf(got: Response | Error): Promise<MemorydError> {
    if (got instanceof Response) return errorOf(got, await got.text());
    const { cause, message } = got as Error & { cause?: Error };
    const why = cause?.message || message;
    return new MemorydError(`memoryd does not answer at ${this.url}: ${why}`, { cause: got });
  }
}

/**
 * Reads, and POST with its Idempotency-Key, after any failure that may pass. Changes by PUT, PATCH and DELETE have no key:
 * they are sent again only where the service did nothing.
 */
function isRetried(method: string, got: Response | Error): boolean {
  const isSafe = method === 'GET' || method === 'POST';
  if (got instanceof Response)
    return [429, 503].includes(got.status) || (isSafe && [408, 502, 504].includes(got.status));
  const { code } = (got.cause ?? {}) as { code?: string };
  return isSafe || code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'UND_ERR_CONNECT_TIMEOUT';
}

/** As `Retry-After` says, at most 30 s; else 0.25, 0.5, 1 s … with some chance in it. */
function msUntil(attempt: number, got: Response | Error): number {
  const seconds = got instanceof Response ? Number(got.headers.get('retry-after') ?? Number.NaN) : Number.NaN;
  if (Number.isFinite(seconds)) return Math.min(waitMaxMs, Math.max(0, seconds * 1000));
  return Math.min(waitMaxMs, firstWaitMs * 2 ** attempt) * (0.75 + Math.random() / 2);
}
