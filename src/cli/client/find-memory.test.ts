import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findMemory } from './find-memory.ts';
import { Service } from './service.ts';
import { findTrashEntries } from './trash.ts';

const twins = ['abcdef01-0000-4000-8000-000000000001', 'abcdef02-0000-4000-8000-000000000002'];
const entriesMax = 250;

/** Ids are random: only a stand-in has two memories whose ids begin alike, and a trash of several pages. */
function respond(url: URL): unknown {
  const idPrefix = url.searchParams.get('idPrefix') ?? '';
  const found = twins.filter((id) => id.startsWith(idPrefix)).map((id) => ({ id }));
  if (url.pathname === '/api/memories') return { data: found, pagination: { count: found.length } };
  if (url.pathname !== '/api/trash') return { data: { id: url.pathname.split('/').at(-1) } };
  const [limit, offset] = ['limit', 'offset'].map((name) => Number(url.searchParams.get(name)));
  const entries = Array.from({ length: entriesMax }, (_, i) => ({ id: `e-${i}-`, recordId: `aa00${i}-` }));
  return { data: entries.slice(offset, offset + limit), pagination: { count: entriesMax } };
}

describe('a reference of the command line', () => {
  let server: Server;
  let asked = 0;
  let service: Service;
  beforeAll(async () => {
    server = createServer((request, response) => {
      asked++;
      const isNamed = request.url?.includes('/named/');
      response.writeHead(isNamed ? 404 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isNamed ? {} : respond(new URL(request.url ?? '', 'http://x'))));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    service = new Service({ url: `http://127.0.0.1:${port}`, key: 'a.key' });
  });
  afterAll(() => void server.close());

  it('a reference that several ids begin with is refused, with these ids', async () => {
    await expect(findMemory(service, 'abcdef0')).rejects.toThrow(
      `2 memories have an id that begins with abcdef0: ${twins.join(', ')}`,
    );
    expect((await findMemory(service, 'abcdef02')).memory.id).toBe(twins[1]);
  });

  it('a reference to the trash is looked for on every page, and no further than the whole id', async () => {
    expect(await findTrashEntries(service, 'aa00249', 2)).toEqual([{ id: 'e-249-', recordId: 'aa00249-' }]);
    expect(await findTrashEntries(service, 'aa0024', 5)).toHaveLength(5);
    asked = 0;
    expect(await findTrashEntries(service, 'aa007-', 5)).toHaveLength(1);
    expect(asked).toBe(1);
  });
});
