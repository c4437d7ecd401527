import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assertPublicUrl, isPublicAddress, PrivateAddressError, publicRequest } from './public-request.ts';

const limits = { timeoutMs: 500, bytesMax: 1000 };

describe('requests to addresses that others name', () => {
  let server: Server;
  let port: number;
  let asked = 0;
  beforeAll(async () => {
    server = createServer((request, response) => {
      asked++;
      if (request.url === '/late') return;
      if (request.url === '/away') return response.writeHead(302, { location: 'http://127.0.0.1/' }).end();
      if (request.url === '/long') return response.end('x'.repeat(5000));
      let text = '';
      request.on('data', (chunk) => {
        text += chunk;
      });
      request.on('end', () => response.end(`${request.method} ${request.headers['x-a']} ${text}`));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it('addresses of this machine, of private networks and of ways around are not public', () => {
    const inside = [
      ...['127.0.0.1', '127.9.9.9', '0.0.0.0', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
      ...['169.254.169.254', '100.64.0.1', '192.0.2.1', '198.18.0.1', '224.0.0.1', '255.255.255.255'],
      ...['::', '::1', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::127.0.0.1', '64:ff9b::7f00:1', 'fc00::1'],
      ...['fd12::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1', '2002:7f00:1::', '2001:db8::1', '2001::1'],
      ...['example.com', '', '127.1', '0x7f.0.0.1'],
    ];
    expect(inside.filter(isPublicAddress)).toEqual([]);
    const outside = ['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450::1'];
    expect(outside.filter((address) => !isPublicAddress(address))).toEqual([]);
  });

  it('a URL with such an address, in any spelling, or a name that leads there is not asked', async () => {
    const hosts = [
      '127.0.0.1',
      '127.1',
      '0x7f000001',
      '2130706433',
      '[::1]',
      '[::ffff:127.0.0.1]',
      'localhost',
    ];
    for (const host of [...hosts, 'LOCALHOST', 'a.localhost'])
      await expect(
        (async () => publicRequest({ method: 'GET', url: new URL(`http://${host}:${port}/`), ...limits }))(),
        host,
      ).rejects.toThrow(PrivateAddressError);
    // A name of the machine's own table, looked up as any other.
    const url = new URL(`http://ip6-localhost:${port}/`);
    await expect(publicRequest({ method: 'GET', url, ...limits })).rejects.toThrow();
    expect(asked).toBe(0);
    expect(() => assertPublicUrl(new URL('https://example.com/'))).not.toThrow();
  });

  it('what is allowed is sent and answered, with a deadline, a bound and without following', async () => {
    const ask = (path: string, body?: string) =>
      publicRequest({
        method: body === undefined ? 'GET' : 'POST',
        url: new URL(`http://localhost:${port}${path}`),
        headers: { 'x-a': '1' },
        body,
        allowsPrivate: true,
        ...limits,
      });
    const { status, body, isCut } = await ask('/', 'høi');
    expect([status, body.toString(), isCut]).toEqual([200, 'POST 1 høi', false]);
    expect((await ask('/away')).status).toBe(302);
    const long = await ask('/long');
    expect([long.body.length, long.isCut]).toEqual([1000, true]);
    await expect(ask('/late')).rejects.toThrow('no answer in 500 ms');
    await expect(
      publicRequest({ method: 'GET', url: new URL('http://127.0.0.1:1/'), allowsPrivate: true, ...limits }),
    ).rejects.toThrow('ECONNREFUSED');
  });
});
