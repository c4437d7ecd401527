import { request } from 'node:http';

/** A request exactly as given: nothing is corrected, encoded or refused on the way. */
export interface RawRequest {
  method: string;
  /** Path and query as they go onto the wire; ASCII without spaces. */
  path: string;
  headers: Record<string, string>;
  body?: string | Uint8Array;
}

export interface RawReply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

const deadlineMs = 60_000;

/** Sends it; throws when the connection breaks before an answer came, or none came within a minute. */
export async function sendRaw(url: string, raw: RawRequest): Promise<RawReply> {
  const { hostname, port } = new URL(url);
  // Node frames no body of a GET or DELETE by itself: without a length it would be read as the next request.
  const length = raw.body === undefined ? undefined : Buffer.byteLength(raw.body);
  const headers = length === undefined ? raw.headers : { 'content-length': String(length), ...raw.headers };
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        hostname,
        port,
        // A connection of its own: many a bad request ends in one that the server closes.
        agent: false,
        method: raw.method,
        path: raw.path,
        headers,
        timeout: deadlineMs,
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () => {
          const text = Buffer.concat(chunks).toString();
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
        });
      },
    );
    sent.once('timeout', () => sent.destroy(new Error(`no answer within ${deadlineMs} ms`)));
    sent.once('error', reject);
    sent.end(raw.body);
  });
}
