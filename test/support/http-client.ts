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

export interface SendOptions {
  body?: unknown;
  rawBody?: string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
}

/** Speaks to one server as the owner of one key. Bodies are sent as JSON; nothing is thrown for any status. */
export function client(url: string, key?: string): Client {
  const send = async <T>(method: string, path: string, options: SendOptions = {}): Promise<Reply<T>> => {
    const headers: Record<string, string> = {};
    if (key !== undefined) headers.authorization = `Bearer ${key}`;
    if (options.body !== undefined || options.rawBody !== undefined)
      headers['content-type'] = 'application/json';
    const init: RequestInit = { method, headers: { ...headers, ...options.headers } };
    if (options.rawBody !== undefined) init.body = options.rawBody;
    else if (options.body !== undefined) init.body = JSON.stringify(options.body);
    const answer = await fetch(url + path, init);
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: toBody(answer, text) as T, text };
  };
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

function toBody(answer: Response, text: string): unknown {
  if (text === '') return undefined;
  return answer.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text;
}
