import { lookup as resolve } from 'node:dns';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from './public-address.ts';

/** The address is not one to which requests of users may go. */
export class PrivateAddressError extends Error {
  readonly code = 'PRIVATE_ADDRESS';

  constructor(host: string) {
    super(`${host} is not on the public Internet`);
    this.name = 'PrivateAddressError';
  }
}

export interface PublicRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** For the whole of it: name, connection, answer. */
  readonly timeoutMs: number;
  /** Bytes of the answer that are read; a longer one is cut off. */
  readonly bytesMax: number;
  /** True: also to addresses of this machine and of private networks. */
  readonly allowsPrivate?: boolean;
  readonly signal?: AbortSignal;
}

export interface PublicResponse {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  /** Whether the answer was longer than `bytesMax`. */
  readonly isCut: boolean;
}

/** Sends a request to an address that others name. */
export type FetchPublic = (request: PublicRequest) => Promise<PublicResponse>;

/** Looks a name up, and refuses it if any of its addresses is private. The connection is made to these addresses. */
const publicLookup: LookupFunction = (host, options, done) => {
  resolve(host, { ...options, all: true }, (error, addresses) => {
    if (error) return done(error, []);
    const isPublic = addresses.length > 0 && addresses.every(({ address }) => isPublicAddress(address));
    if (!isPublic) return done(new PrivateAddressError(host), []);
    if (options.all) done(null, addresses);
    else done(null, addresses[0].address, addresses[0].family);
  });
};

/** @throws PrivateAddressError for an address in the URL; a name is checked when it is looked up */
export function assertPublicUrl({ hostname }: URL): void {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(host) !== 0 && !isPublicAddress(host)) throw new PrivateAddressError(host);
  if (/(?:^|\.)localhost\.?$/i.test(host)) throw new PrivateAddressError(host);
}

function answerOf(response: IncomingMessage, bytesMax: number): Promise<PublicResponse> {
  return new Promise((fulfil, fail) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const finish = (isCut: boolean) =>
      fulfil({
        status: response.statusCode ?? 0,
        headers: response.headers,
        body: Buffer.concat(chunks).subarray(0, bytesMax),
        isCut,
      });
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes <= bytesMax) return;
      finish(true);
      response.destroy();
    });
    response.once('end', () => finish(false));
    response.once('error', fail);
    response.once('aborted', () => fail(new Error('the answer ended early')));
  });
}

/**
 * A request to an address that a user or a stranger named: never to this machine or a private network unless it is
 * allowed, not even by a name that changes its address between check and connection. Follows no redirect.
 * @throws PrivateAddressError; Error if there is no answer in time
 */
export async function publicRequest(asked: PublicRequest): Promise<PublicResponse> {
  const { url, method, headers, body, timeoutMs, bytesMax, allowsPrivate, signal } = asked;
  if (!allowsPrivate) assertPublicUrl(url);
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const deadline = AbortSignal.timeout(timeoutMs);
  return new Promise((fulfil, fail) => {
    const request: ClientRequest = send(url, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }) },
      // A connection of its own: one of a pool was checked for another request.
      agent: false,
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
      ...(!allowsPrivate && { lookup: publicLookup }),
    });
    request.once('error', (error) =>
      fail(deadline.aborted ? new Error(`no answer in ${timeoutMs} ms`) : error),
    );
    request.once('response', (response) => answerOf(response, bytesMax).then(fulfil, fail));
    request.end(body);
  });
}
