import { EmbeddingError, type EmbeddingErrorOptions } from '../../domain/embedding/embedder.ts';
import { parseJson } from '../../lib/json.ts';

/** Server and model for requests, with their options. */
export interface Endpoint {
  /** URL of `/embeddings` itself. */
  readonly url: string;
  readonly model: string;
  readonly apiKey: string | undefined;
  readonly dimension: number;
  /** Whether requests name the dimension: some models can shorten vectors, others refuse the field. */
  readonly sendsDimension: boolean;
}

/** A number takes about 12 characters; the rest is for white space and more digits. */
const bytesANumber = 48;
const bytesAround = 65_536;
const refusalBytesMax = 16_384;

/** Sends one request. @throws RequestError */
export async function postTexts(
  endpoint: Endpoint,
  texts: readonly string[],
  { deadlineMs, signal }: { readonly deadlineMs: number; readonly signal: AbortSignal },
): Promise<Float32Array[]> {
  const { dimension } = endpoint;
  const limit = AbortSignal.timeout(Math.max(1, Math.ceil(deadlineMs)));
  let body: string;
  try {
    const response = await fetch(endpoint.url, {
      method: 'POST',
      redirect: 'error',
      headers: headersOf(endpoint),
      body: bodyOf(endpoint, texts),
      signal: AbortSignal.any([signal, limit]),
    });
    if (!response.ok) {
      // If the body cannot be read, the status alone is reported.
      const said = await textOf(response, refusalBytesMax).catch(() => '');
      throw refusalOf(response.status, response.headers, said, Date.now());
    }
    body = await textOf(response, bytesAround + texts.length * dimension * bytesANumber);
  } catch (error) {
    throw error instanceof RequestError ? error : notReached(error, limit.aborted, deadlineMs);
  }
  return readVectors(body, texts.length, dimension);
}

function headersOf({ apiKey }: Endpoint): Record<string, string> {
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  return apiKey === undefined ? headers : { ...headers, authorization: `Bearer ${apiKey}` };
}

function bodyOf({ model, dimension, sendsDimension }: Endpoint, input: readonly string[]): string {
  return JSON.stringify({
    model,
    input,
    encoding_format: 'float',
    ...(sendsDimension && { dimensions: dimension }),
  });
}

/** @throws RequestError if the body is longer than `bytesMax` */
async function textOf(response: Response, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw wrongAnswer(`the answer of the server is longer than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function notReached(error: unknown, isLate: boolean, deadlineMs: number): RequestError {
  const common = { isLasting: false, isRepeatable: true, isServerFault: true };
  if (isLate) {
    const message = `the server gave no answer within ${Math.ceil(deadlineMs)} ms`;
    return new RequestError(message, { ...common, failure: 'timeout' });
  }
  const { code } = ((error as Error).cause ?? {}) as { code?: unknown };
  const why = typeof code === 'string' && /^[A-Z_]{3,40}$/.test(code) ? ` (${code})` : '';
  return new RequestError(`the server cannot be reached${why}`, { ...common, failure: 'connection' });
}

interface Item {
  readonly embedding?: unknown;
  readonly index?: unknown;
}

function itemsOf(body: string): Item[] {
  let answer: unknown;
  try {
    answer = parseJson(body);
  } catch {
    throw new RequestError('the answer of the server is no JSON', {
      isLasting: false,
      isRepeatable: true,
      isServerFault: true,
    });
  }
  const data = (answer as { data?: unknown } | null)?.data;
  if (!Array.isArray(data)) throw wrongAnswer('the answer of the server holds no `data`');
  return data.map((item) => (typeof item === 'object' && item !== null ? item : {}));
}

/** Sorts items in the order of the texts: by `index`, if the server gives it. */
function inOrder(items: readonly Item[], count: number): readonly Item[] {
  if (items.length !== count) throw wrongAnswer(`the server gave ${items.length} vectors for ${count} texts`);
  if (items.every(({ index }) => index === undefined)) return items;
  const byIndex = new Map(items.map((item) => [item.index, item]));
  // An index out of range is detected too: it leaves a valid index without an item.
  const ordered = Array.from({ length: count }, (_, index) => byIndex.get(index));
  return ordered.map((item) => {
    if (!item) throw wrongAnswer('the server does not say which vector belongs to which text');
    return item;
  });
}

/**
 * Reads the unit vectors of a response to `count` texts; a zero vector stays zero.
 * @throws RequestError unless it contains exactly one vector of `dimension` finite numbers per text
 */
export function readVectors(body: string, count: number, dimension: number): Float32Array[] {
  return inOrder(itemsOf(body), count).map(({ embedding }) => {
    if (!Array.isArray(embedding)) throw wrongAnswer('the server gave something else than lists of numbers');
    if (embedding.length !== dimension)
      throw wrongAnswer(`the server gave vectors of ${embedding.length} numbers instead of ${dimension}`);
    return unitVector(embedding);
  });
}

function unitVector(numbers: readonly unknown[]): Float32Array {
  let square = 0;
  for (const number of numbers) square += typeof number === 'number' ? number * number : Number.NaN;
  if (!Number.isFinite(square)) {
    // Models of half precision give such vectors for some texts, on every request.
    throw new RequestError('the server gave a vector that does not consist of finite numbers', {
      isLasting: true,
      isRepeatable: false,
      isServerFault: false,
    });
  }
  const scale = square === 0 ? 0 : 1 / Math.sqrt(square);
  return Float32Array.from(numbers, (number) => Number(number) * scale);
}

const tooMany = 429;
/** Statuses caused by the texts, which would be refused again. */
const aboutTexts = [400, 413, 422];
const passing = [408, 425, tooMany];
/** Form of a provider's error codes, such as `invalid_api_key`; error messages may quote keys and texts. */
const codeForm = /^[a-z][a-z_]{2,60}$/;

/** The error for a response that is not 2xx. */
function refusalOf(status: number, headers: Headers, body: string, now: number): RequestError {
  const code = codeOf(body);
  return new RequestError(`the server answers ${status}${code ? ` (${code})` : ''}`, {
    isLasting: aboutTexts.includes(status),
    isRepeatable: passing.includes(status) || status >= 500,
    isServerFault: status !== tooMany && !aboutTexts.includes(status),
    retryAfterMs: retryAfterOf(headers.get('retry-after'), now),
  });
}

/** `Retry-After` in milliseconds; the header has seconds or a date. */
function retryAfterOf(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d+(\.\d+)?$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

function codeOf(body: string): string | undefined {
  try {
    const { error } = parseJson(body) as { error?: { code?: unknown; type?: unknown } | null };
    return [error?.code, error?.type].find(
      (code): code is string => typeof code === 'string' && codeForm.test(code),
    );
  } catch {
    // Not JSON: the status alone is reported.
    return undefined;
  }
}

export interface RequestErrorOptions extends EmbeddingErrorOptions {
  /** Whether the same request may succeed a little later. */
  readonly isRepeatable: boolean;
  /** Whether the server is at fault, not the texts or too many requests. */
  readonly isServerFault: boolean;
  /** Milliseconds without requests that the server asks for. */
  readonly retryAfterMs?: number;
}

/** One request that gave no vectors. */
export class RequestError extends EmbeddingError {
  readonly isRepeatable: boolean;
  readonly isServerFault: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: RequestErrorOptions) {
    super(message, options);
    this.isRepeatable = options.isRepeatable;
    this.isServerFault = options.isServerFault;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** The error for an invalid response of a reachable server; a retry at once would not help. */
function wrongAnswer(message: string): RequestError {
  return new RequestError(message, { isLasting: false, isRepeatable: false, isServerFault: true });
}
