import { setTimeout as delay } from 'node:timers/promises';

/** One answer. `body` is the parsed JSON, the text when it is not JSON, or undefined when it is empty. */
export interface Reply<T> {
  status: number;
  headers: Headers;
  body: T;
  /** The body as it came. */
  text: string;
}

export type JsonObject = Record<string, unknown>;

export interface Client {
  readonly url: string;
  readonly key: string | undefined;
  get<T = JsonObject>(path: string, headers?: Record<string, string>): Promise<Reply<T>>;
  post<T = JsonObject>(path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply<T>>;
  put<T = JsonObject>(path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply<T>>;
  patch<T = JsonObject>(path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply<T>>;
  delete<T = JsonObject>(path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply<T>>;
  /** Any method; `rawBody` is sent as it is. */
  send<T = JsonObject>(method: string, path: string, options?: SendOptions): Promise<Reply<T>>;
}

interface SendOptions {
  body?: unknown;
  rawBody?: string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
}

type Send = <T>(method: string, path: string, options?: SendOptions) => Promise<Reply<T>>;

/** Speaks to one server as the owner of one key. Bodies are sent as JSON; nothing is thrown for any status. */
export function client(url: string, key?: string): Client {
  return clientOver(url, key, (method, path, options) => sendOnce({ url, key, method, path }, options));
}

const patienceMs = 60_000;

/**
 * The same, but what is refused as OVERLOADED is asked again: such a request was not begun. For tests that are not
 * about load, on machines that stall for a second now and then.
 */
export function patientClient(url: string, key?: string): Client {
  return clientOver(url, key, async <T>(method: string, path: string, options?: SendOptions) => {
    const end = Date.now() + patienceMs;
    for (;;) {
      const reply = await sendOnce<T>({ url, key, method, path }, options);
      const refused = reply.status === 503 && (reply.body as { code?: string }).code === 'OVERLOADED';
      if (!refused || Date.now() > end) return reply;
      await delay(250);
    }
  });
}

async function sendOnce<T>(
  to: { url: string; key: string | undefined; method: string; path: string },
  options: SendOptions = {},
): Promise<Reply<T>> {
  const headers: Record<string, string> = {};
  if (to.key !== undefined) headers.authorization = `Bearer ${to.key}`;
  if (options.body !== undefined || options.rawBody !== undefined)
    headers['content-type'] = 'application/json';
  const init: RequestInit = { method: to.method, headers: { ...headers, ...options.headers } };
  if (options.rawBody !== undefined) init.body = options.rawBody;
  else if (options.body !== undefined) init.body = JSON.stringify(options.body);
  const response = await fetch(to.url + to.path, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: toBody(response, text) as T, text };
}

function clientOver(url: string, key: string | undefined, send: Send): Client {
  const withBody =
    (method: string) =>
    <T>(path: string, body?: unknown, headers: Record<string, string> = {}) =>
      send<T>(method, path, { body, headers });
  return {
    url,
    key,
    send,
    get: (path, headers = {}) => send('GET', path, { headers }),
    post: withBody('POST'),
    put: withBody('PUT'),
    patch: withBody('PATCH'),
    delete: withBody('DELETE'),
  };
}

function toBody(response: Response, text: string): unknown {
  if (text === '') return undefined;
  return response.headers.get('content-type')?.includes('/json') ? JSON.parse(text) : text;
}
