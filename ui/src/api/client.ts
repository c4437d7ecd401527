import { signal } from '@preact/signals';
import { words } from '../words/words.ts';
import { session, signedOut } from './session.ts';

/** A response that is no success: what the service says of it. */
export class ApiFailure extends Error {
  readonly status: number;
  readonly code: string;
  readonly requestId: string | undefined;
  /** Seconds until another try may succeed; it is made by itself if the service is busy or away. */
  readonly retryAfter: number | undefined;
  readonly details: ErrorBody['details'] | undefined;

  constructor(status: number, body: Partial<ErrorBody>) {
    super(body.error ?? `The service answered ${status}.`);
    this.name = 'ApiFailure';
    this.status = status;
    this.code = body.code ?? '';
    this.requestId = body.requestId;
    this.retryAfter = body.retryAfter;
    this.details = body.details;
  }
}

interface ErrorBody {
  readonly error: string;
  readonly code: string;
  readonly requestId: string;
  readonly retryAfter: number;
  readonly details: Readonly<Record<string, unknown>>;
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Query;
  readonly body?: unknown;
  /** In place of `body`: JSON Lines. */
  readonly lines?: string;
  readonly ifMatch?: string;
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
  /** In place of the key of the session. */
  readonly key?: string;
}

export interface ApiResponse<T> {
  readonly body: T;
  readonly headers: Headers;
}

/** The last request that a view made for its own content, for "copy as curl". */
export const shownRequest = signal<ApiRequest | undefined>(undefined);

/** The path with its query; undefined and empty values are left out. */
function pathOf({ path, query = {} }: Pick<ApiRequest, 'path' | 'query'>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') parameters.set(name, String(value));
  const text = parameters.toString();
  return text === '' ? path : `${path}?${text}`;
}

/** @throws ApiFailure; a 401 ends the session and keeps the address */
export async function ask<T>(request: ApiRequest): Promise<ApiResponse<T>> {
  const { body, headers } = await askText(request);
  return { body: (body === '' ? undefined : parse(body)) as T, headers };
}

/** The body as it came: JSON or events. @throws as `ask` */
export async function askText(request: ApiRequest): Promise<ApiResponse<string>> {
  const { method = 'GET', body, lines, ifMatch, idempotencyKey, signal } = request;
  const key = request.key ?? session.value?.key;
  const response = await reach(pathOf(request), {
    method,
    signal,
    cache: 'no-store',
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(lines !== undefined && { 'content-type': 'application/x-ndjson' }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      ...(ifMatch !== undefined && { 'if-match': ifMatch }),
    },
    body: body === undefined ? lines : JSON.stringify(body),
  });
  const text = await response.text();
  if (response.ok) return { body: text, headers: response.headers };
  const failure = new ApiFailure(response.status, (text === '' ? {} : parse(text)) as Partial<ErrorBody>);
  if (failure.status === 401 && request.key === undefined) signedOut(failure.message);
  throw failure;
}

const unreachedRetrySeconds = 5;

/** @throws ApiFailure of status 0 if nothing answers; an aborted request fails as such */
async function reach(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ApiFailure(0, { error: words().unreachable, retryAfter: unreachedRetrySeconds });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A proxy in between answered: its text is shown with the status.
    return { error: text.slice(0, 200) };
  }
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** A line for a shell that sends the same request; the key stays in a variable. */
export function curlOf(request: ApiRequest, origin: string): string {
  const { method = 'GET', body } = request;
  const parts = ['curl -s', '-H "Authorization: Bearer $MEMORYD_KEY"'];
  if (method !== 'GET') parts.push(`-X ${method}`);
  if (body !== undefined)
    parts.push("-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(body))}`);
  return [...parts, quoted(`${origin}${pathOf(request)}`)].join(' ');
}
