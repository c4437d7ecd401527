import { describe, expect, it } from 'vitest';
import { client } from '../support/http-client.ts';
import { useApp } from '../support/use-app.ts';

describe('an operation that clients of this API know and this version does not serve', () => {
  const app = useApp('sqlite');

  it.each([
    ['POST', '/api/patterns/recommendations'],
    ['PATCH', '/api/patterns/recommendations/r1/approve'],
    ['POST', '/api/patterns/compile/'],
  ])(
    'an operation that is not served, %s %s, is a 404 that names it, with and without a key',
    async (method, path) => {
      for (const http of [await app.newClient(), client(app.url, 'none')]) {
        const reply = await http.send(method, path, method === 'POST' ? { body: {} } : {});
        expect([reply.status, reply.body]).toEqual([
          404,
          expect.objectContaining({
            code: 'ROUTE_NOT_FOUND',
            error: expect.stringMatching(
              /^This version of memoryd does not serve (GET|POST|PATCH) \/api\/\S+; docs/,
            ),
          }),
        ]);
      }
    },
  );

  it('an operation that is not served leaves other methods and other paths as they are', async () => {
    const http = await app.newClient();
    expect((await http.post('/api/memories/bulk', {})).body).toMatchObject({ code: 'METHOD_NOT_ALLOWED' });
    expect((await http.get('/api/nope')).body).toMatchObject({ error: 'No endpoint has this path.' });
  });
});
