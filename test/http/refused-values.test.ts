import { beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import type { Client } from '../support/http-client.ts';
import { useApp } from '../support/use-app.ts';

describe.each(engines)('values that cannot be kept, on %s', (engine) => {
  const app = useApp(engine);
  let http: Client;
  let id = '';
  beforeAll(async () => {
    http = await app.newClient();
    const body = { content: 'one', name: 'plan', conversationId: 'NEW' };
    id = (await http.post<{ data: { id: string } }>('/api/memories', body)).body.data.id;
  });

  it.each([
    ['POST', '/api/memories', { content: ' \n\t ' }, 'content must not be blank'],
    ['PUT', '/api/memories/ID', { content: ' ' }, 'content must not be blank'],
    ['PUT', '/api/memories/named/plan', { content: '\u3000' }, 'content must not be blank'],
    ['POST', '/api/conversations', { title: '  ' }, 'title must not be blank'],
  ])('white space alone is refused: %s %s', async (method, path, body, error) => {
    const reply = await http.send(method, path.replace('ID', id), { body });
    expect([reply.status, reply.body.error]).toEqual([422, error]);
  });

  it('a number beyond all numbers is refused', async () => {
    const rawBody = '{"content":"x","importance":1e400}';
    const reply = await http.send('POST', '/api/memories', { rawBody });
    expect([reply.status, reply.body.error]).toEqual([422, 'importance must be a number']);
  });
});
