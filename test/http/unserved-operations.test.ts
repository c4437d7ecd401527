import { describe, expect, it } from 'vitest';
import { client } from '../support/http-client.ts';
import { type OpenApiDocument, operationsOf } from '../support/openapi.ts';
import { sdkOperations, withoutNames } from '../support/sdk-operations.ts';
import { useApp } from '../support/use-app.ts';

describe('an operation that clients of this API know and this service does not serve', () => {
  const app = useApp('sqlite');
  const send = (http: ReturnType<typeof client>, operation: string) => {
    const [method, path] = operation.replace(/\{\w+\}/g, 'x1').split(' ');
    return http.send(method, path, method === 'POST' || method === 'PATCH' ? { body: {} } : {});
  };

  it('every operation of the SDK that is not served is a 404 that says what is lacking, with and without a key', async () => {
    const document = (await (await fetch(`${app.url}/api/openapi.json`)).json()) as OpenApiDocument;
    const served = new Set(
      operationsOf(document).map(({ method, path }) => withoutNames(`${method.toUpperCase()} ${path}`)),
    );
    const unserved = sdkOperations.filter(({ operation }) => !served.has(withoutNames(operation)));
    expect(unserved.length).toBeGreaterThan(40);
    for (const http of [await app.newClient(), client(app.url, 'none')])
      for (const { operation } of unserved) {
        const reply = await send(http, operation);
        const sentence = (reply.body as { error: string }).error;
        expect([operation, reply.status, reply.body]).toEqual([
          operation,
          404,
          expect.objectContaining({ code: 'ROUTE_NOT_FOUND' }),
        ]);
        expect(sentence).toMatch(/^memoryd has no [^:]+: /);
        expect(sentence).toContain(`${operation} is not served; docs/clients.md`);
      }
  });

  it('an operation that is not served is one with a slash at its end, too', async () => {
    const reply = await send(await app.newClient(), 'POST /api/billing/portal/');
    expect([reply.status, reply.body.error]).toEqual([404, expect.stringContaining('has no billing')]);
  });

  it('an operation that is not served leaves other methods and other paths as they are', async () => {
    const http = await app.newClient();
    expect((await http.patch('/api/memories/bulk', {})).body).toMatchObject({ code: 'METHOD_NOT_ALLOWED' });
    expect((await http.get('/api/nope')).body).toMatchObject({ error: 'No endpoint has this path.' });
    expect((await http.get('/api/users/me')).status).toBe(200);
  });
});
