/** Proposals for a text are far shorter. */
const bytesMax = 2_000_000;

/**
 * Follows no redirect, which would send the text elsewhere, and gives up where the response is longer than 2 MB.
 * @throws TypeError as `fetch` does
 */
export const boundedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: 'error' });
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new TypeError(`the response is longer than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  const { status, statusText, headers } = response;
  const isEmpty = status === 204 || status === 304;
  return new Response(isEmpty ? null : Buffer.concat(chunks), { status, statusText, headers });
};
