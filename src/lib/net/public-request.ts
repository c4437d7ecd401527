import { lookup as resolve } from 'node:dns';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net';

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

/** Networks that are no part of the public Internet (IANA special-purpose registries), and ways into IPv4 from IPv6. */
const special: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  ['::', 96],
  ['::ffff:0:0', 96],
  ['::ffff:0:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
];

// One list for each: a list compares IPv4 addresses with networks of IPv6 that hold them, too.
const blocked = { ipv4: new BlockList(), ipv6: new BlockList() };
for (const [network, prefix] of special) {
  const family = isIPv6(network) ? 'ipv6' : 'ipv4';
  blocked[family].addSubnet(network, prefix, family);
}

/** Whether an IP address is one of the public Internet; false for a text that is no address. */
export function isPublicAddress(address: string): boolean {
  const plain = address.replace(/%.*$/, '');
  const version = isIP(plain);
  if (version === 0) return false;
  const family = version === 6 ? 'ipv6' : 'ipv4';
  return !blocked[family].check(plain, family);
}
