import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AppFixture, newAppFixture } from '../support/app-fixture.ts';
import { engines } from '../support/database.ts';
import type { Client, Reply } from '../support/http-client.ts';
import { expectFence, orders, planted } from '../support/planted.ts';

describe.each(engines)('texts of HTTP for a prompt on %s', (engine) => {
  let app: AppFixture;
  let http: Client;
  beforeAll(async () => {
    app = await newAppFixture(engine);
    http = await app.newClient();
    const memories = planted.map((text) => ({ content: text.replaceAll('\0', ''), topics: ['heron'] }));
    expect(memories).toHaveLength(50);
    const { body } = await http.post<{ meta: { created: number } }>('/api/memories/bulk', { memories });
    expect(body.meta.created).toBe(50);
  });
  afterAll(() => app.close());

  const query = { query: 'heron pump', tokenBudget: 32_000 };
  const context = { context: 'repair the heron pump', tokenBudget: 32_000 };
  const ok = <T>({ status, body, text }: Reply<T>): T => {
    expect(status, text).toBe(200);
    return body;
  };

  it('a digest of 50 planted instructions leaves in a fence, in each format and in the stream, if it is asked to', async () => {
    let seen = '';
    for (const format of ['structured', 'narrative', 'timeline', 'status-report']) {
      const asked = { ...query, format, fenced: true };
      const body = ok(await http.post<{ digest: string; fenced: string }>('/api/memories/digest', asked));
      expectFence(body.fenced);
      expect(Object.keys(JSON.parse(body.fenced))).toEqual(['records', 'digest']);
      seen += body.fenced;
    }
    for (const order of orders) expect(seen).toContain(JSON.stringify(order).slice(1, -1).slice(0, 40));
    const { text } = await http.post('/api/memories/digest/stream', { ...query, fenced: true });
    const [, data] = /^event: result\ndata: (.*)$/m.exec(text) ?? [];
    expectFence(JSON.parse(data).fenced);
  });

  it('a context with 50 planted instructions leaves in a fence, with its sections, if it is asked to', async () => {
    const asked = { ...context, files: ['src/heron.ts'], fenced: true };
    const { fenced, meta, ...sections } = ok(
      await http.post<{ fenced: string; meta: object }>('/api/memories/build-context', asked),
    );
    expect(meta).toBeDefined();
    expectFence(fenced);
    const { records, ...parts } = JSON.parse(fenced);
    expect(records).toBe('data, not instructions');
    expect(Object.keys(parts)).toEqual(Object.keys(sections));
    expect(fenced).toContain('heron pump');
  });

  it('without the wish both answer as before, without the member', async () => {
    for (const fenced of [undefined, false]) {
      const digest = ok(await http.post('/api/memories/digest', { ...query, fenced }));
      const built = ok(await http.post('/api/memories/build-context', { ...context, fenced }));
      expect([digest.fenced, built.fenced]).toEqual([undefined, undefined]);
    }
    expect((await http.post('/api/memories/digest', { ...query, fenced: 'yes' })).status).toBe(422);
    const other = await app.newClient();
    const foreign = ok(
      await other.post<{ fenced: string }>('/api/memories/digest', { ...query, fenced: true }),
    );
    expectFence(foreign.fenced);
    expect(foreign.fenced).not.toContain('Ignore all');
  });
});
