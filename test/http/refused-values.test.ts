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

  it('JSON that is nested too deep is refused with the rule, wherever it comes in', async () => {
    const rule = 'must not be nested deeper than 64 levels';
    const nested = (before: string, levels: number, after: string) =>
      `${before}${'{"message":'.repeat(levels)}"x"${'}'.repeat(levels)}${after}`;
    const commit = { sha: 'b'.repeat(40), message: 'm', filesChanged: ['a.ts'], author: 'x' };
    for (const levels of [65, 10_000, 30_000]) {
      const body = await http.send('POST', '/api/memories', {
        rawBody: nested('{"content":"x","metadata":', levels, '}'),
      });
      expect([body.status, body.body.error]).toEqual([422, `the body ${rule}`]);
      const transcript = await http.post('/api/commit-context', {
        git: commit,
        transcript: nested('', levels, ''),
      });
      expect([transcript.status, transcript.body.error]).toEqual([422, `a line of transcript ${rule}`]);
      const call = await http.send('POST', '/mcp', {
        rawBody: nested(
          '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"remember","arguments":',
          levels,
          '}}',
        ),
        headers: { accept: 'application/json, text/event-stream' },
      });
      expect([call.status, call.body.error]).toMatchObject([
        422,
        { code: -32600, message: `the body ${rule}` },
      ]);
    }
    const filter = encodeURIComponent(nested('', 65, ''));
    const searched = await http.get(`/api/memories?metadata=${filter}`);
    expect(searched.status).toBe(422);
    const passed = await http.post('/api/commit-context', { git: commit, transcript: nested('', 60, '') });
    expect(passed.status).toBe(201);
  });
});
