import { beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import type { Client } from '../support/http-client.ts';
import { useApp } from '../support/use-app.ts';

describe.each(engines)('exporting memories on %s', (engine) => {
  const app = useApp(engine);
  let http: Client;
  beforeAll(async () => {
    http = await app.newClient();
    for (const body of [
      { content: 'The heron, "grey", stands\nin the reeds', topics: ['birds', 'water'] },
      { content: '=HYPERLINK("http://evil")', memoryType: 'semantic', validTo: '2020-01-01' },
      { content: 'A heron flies', topics: ['birds'], codeContext: { repo: 'x' } },
    ])
      await http.post('/api/memories', { conversationId: 'NEW', ...body });
  });

  const exported = (body: object) => http.post<Record<string, unknown>[]>('/api/memories/export', body);

  it('an export of memories is a bare array, the newest first, with all fields that have a value or those asked for', async () => {
    const all = await exported({});
    expect(all.status).toBe(200);
    expect(all.headers.get('content-disposition')).toBe('attachment; filename="memories.json"');
    expect(all.body.map(({ content }) => content)).toEqual([
      'A heron flies',
      '=HYPERLINK("http://evil")',
      'The heron, "grey", stands\nin the reeds',
    ]);
    expect(all.body[0]).toMatchObject({
      codeContext: { repo: 'x' },
      topics: ['birds'],
      effectiveState: 'current',
    });
    const { body } = await exported({ fields: ['content', 'name'], limit: 1 });
    expect(body).toEqual([{ content: 'A heron flies' }]);
  });

  it('an export of memories contains what a query, topics and a type find', async () => {
    const contents = async (body: object) => (await exported(body)).body.map(({ content }) => content);
    expect((await contents({ query: 'herons' })).sort()).toEqual([
      'A heron flies',
      'The heron, "grey", stands\nin the reeds',
    ]);
    expect(await contents({ topics: ['Water'] })).toEqual(['The heron, "grey", stands\nin the reeds']);
    expect(await contents({ memoryType: 'semantic' })).toEqual(['=HYPERLINK("http://evil")']);
    expect(await contents({ query: 'zqxjkvw' })).toEqual([]);
  });

  it('an export of memories as CSV is read and not run by a spreadsheet', async () => {
    const { text, headers } = await exported({ format: 'csv', fields: ['content', 'topics', 'codeContext'] });
    expect(headers.get('content-type')).toMatch(/^text\/csv/);
    expect(text).toBe(
      [
        'content,topics,codeContext\r\n',
        'A heron flies,birds,"{""repo"":""x""}"\r\n',
        `"'=HYPERLINK(""http://evil"")",,\r\n`,
        '"The heron, ""grey"", stands\nin the reeds",birds; water,\r\n',
      ].join(''),
    );
  });

  it('an export of memories refuses bad fields by name', async () => {
    for (const [field, value] of [
      ['format', 'xml'],
      ['limit', 0],
      ['fields', ['secret']],
      ['fields', Array<string>(31).fill('id')],
      ['query', 'x'.repeat(2001)],
      ['memoryType', 'none'],
    ] as const) {
      const reply = await http.post<{ error: string }>('/api/memories/export', { [field]: value });
      expect([field, reply.status, reply.body.error]).toEqual([field, 422, expect.stringContaining(field)]);
    }
  });

  it('an export of memories contains nothing of another user', async () => {
    const other = await app.newClient();
    expect((await other.post('/api/memories/export', {})).body).toEqual([]);
  });
});
