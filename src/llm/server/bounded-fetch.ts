import { isTooDeep, jsonDepthRule } from '../../lib/json-depth.ts';
import { LlmError } from '../llm-error.ts';

/** Proposals for a text are far shorter. */
const bytesMax = 2_000_000;

/** @throws LlmError for JSON that is nested too deep */
export function assertDepth(json: string): void {
  if (isTooDeep(json)) throw new LlmError('invalid', `the answer of the LLM ${jsonDepthRule}`);
}

/**
 * Follows no redirect, which would send the text elsewhere, and gives up where the response is longer than 2 MB.
 * @throws TypeError as `fetch` does; LlmError for a response that is longer, or nested too deep
 */
export const boundedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: 'error' });
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > bytesMax)
      throw new LlmError('invalid', `the answer of the LLM is longer than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  assertDepth(body.toString());
  const { status, statusText, headers } = response;
  const isEmpty = status === 204 || status === 304;
  return new Response(isEmpty ? null : body, { status, statusText, headers });
};
