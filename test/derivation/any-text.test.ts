import { beforeEach, describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import { deriveAll } from '../support/derive.ts';
import { useApp, useClient } from '../support/use-app.ts';

const texts: readonly (readonly [name: string, content: string])[] = [
  ['50,000 characters of one word', 'a'.repeat(50_000)],
  ['base64', Buffer.from('the same bytes again and again '.repeat(300)).toString('base64')],
  ['minified code', 'function a(b,c){return b?c.d(e=>e.f&&g[h]||i):j(k)};var l=[1,2,3];'.repeat(200)],
  ['Chinese', '我在上海工作，主要使用 PostgreSQL 和 Kubernetes。项目由王芳负责。'.repeat(20)],
  ['Japanese', '来週の火曜日に東京で田中さんと会議があります。'.repeat(20)],
  ['right-to-left text', 'אני עובד בתל אביב עם PostgreSQL. أعمل في القاهرة مع أحمد.'.repeat(20)],
  ['emoji', '🎉👩‍👩‍👧‍👦🏳️‍🌈🚀'.repeat(500)],
  ['combining marks', `Z${'\u0301\u0327'.repeat(5000)}`],
];

describe.each(engines)('derivation of any text on %s', (engine) => {
  const app = useApp(engine);
  const http = useClient(app);
  beforeEach(() => deriveAll(app.services));

  const write = async (content: string) =>
    (await http.post<{ data: { id: string } }>('/api/memories', { content })).body.data.id;
  const read = async (id: string) =>
    (await http.get<{ data: Record<string, unknown> }>(`/api/memories/${id}?detail=full`)).body.data;

  it.each(texts)('%s is derived or skipped, and the memory after it is derived', async (_name, content) => {
    const id = await write(content);
    const after = await write('Ana works for Nordlicht.');
    await deriveAll(app.services);
    expect(['completed', 'skipped']).toContain((await read(id)).extractionStatus);
    expect((await read(after)).extractionStatus).toBe('completed');
    const facts = await http.get<{ data: { subject: string; object: string }[] }>('/api/facts');
    expect(facts.body.data.map(({ object }) => object)).toContain('Nordlicht');
  });
});
