import { readVectors } from './read-vectors.ts';
import { refusalOf } from './refusal.ts';
import { RequestError, wrongAnswer } from './request-error.ts';

/** Where texts are sent, and how. */
export interface Endpoint {
  /** Of `/embeddings` itself. */
  readonly url: string;
  readonly model: string;
  readonly apiKey: string | undefined;
  readonly dimension: number;
  /** Whether the server is told the dimension: some models can be cut, others refuse the field. */
  readonly sendsDimension: boolean;
}

/** A number takes about 12 characters; white space and more digits are allowed for. */
const bytesANumber = 48;
const bytesAround = 65_536;
const refusalBytesMax = 16_384;

/** One request. @throws RequestError */
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
      // The status is refusal enough where the rest of the answer cannot be read.
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

/** @throws RequestError where it is longer than `bytesMax` */
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
