import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { AppError } from '../../src/domain/shared/errors.ts';
import { JobWorker } from '../../src/jobs/job-worker.ts';
import type { Client } from '../support/http-client.ts';
import { useApp } from '../support/use-app.ts';

describe('the log', () => {
  const app = useApp('sqlite', { MEMORYD_LOG_LEVEL: 'debug' });
  let http: Client;
  beforeAll(async () => {
    http = await app.newClient();
  });
  afterEach(() => vi.restoreAllMocks());

  const lineOf = async (requestId: string) => {
    const find = () => app.log.find((line) => line.includes(requestId) && line.includes('"request"'));
    await expect.poll(find).toBeDefined();
    return JSON.parse(find() ?? '{}') as Record<string, unknown>;
  };

  it('the log has a line of JSON for every request, by route and not by URL', async () => {
    await http.get('/api/memories/search?q=whisper', { 'x-request-id': 'seen-1' });
    const key = await http.get<{ data: { id: string }[] }>('/api/apikeys');
    const me = await http.get<{ data: { id: string } }>('/api/users/me');
    expect(await lineOf('seen-1')).toMatchObject({
      requestId: 'seen-1',
      user: me.body.data.id,
      key: key.body.data[0].id,
      method: 'GET',
      route: '/api/memories/search',
      status: 200,
      ms: expect.any(Number),
    });
    await http.get('/nowhere/whisper', { 'x-request-id': 'seen-2' });
    expect(await lineOf('seen-2')).toMatchObject({ route: 'unknown', status: 404 });
    expect(await lineOf('seen-2')).not.toHaveProperty('user');
  });

  it('the log contains a fault by the requestId of its response, which says nothing of the cause', async () => {
    const cause = Object.assign(new Error('duplicate key: whisper'), { code: 'ODD' });
    vi.spyOn(app.services.memories, 'create').mockRejectedValueOnce(cause);
    const response = await http.post('/api/memories', { content: 'whisper' });
    expect(response).toMatchObject({ status: 500, body: { code: 'INTERNAL' } });
    expect(response.text).not.toContain('whisper');
    const line = app.log.find(
      (text) => text.includes(String(response.body.requestId)) && text.includes('ODD'),
    );
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      code: 'INTERNAL',
      failure: { type: 'Error', code: 'ODD', stack: expect.stringContaining('log.test.ts') },
    });
  });

  it('the log has one line with a place for a full disk, however many writes are refused, and one with their number when there is room', async () => {
    const full = () =>
      new AppError('STORAGE_FULL', 'The disk is full: nothing was stored.', { retryAfter: 5 });
    const create = vi
      .spyOn(app.services.memories, 'create')
      .mockImplementation(async () => Promise.reject(full()));
    const write = async () => (await http.post('/api/memories', { content: 'one' })).status;
    const linesWith = (part: string) =>
      app.log.filter((line) => line.includes(part) && line.includes('STORAGE_FULL'));
    for (let i = 0; i < 20; i++) expect(await write()).toBe(503);
    // A response to a request that only reads is no sign of room.
    expect((await http.post('/api/memories/search', { query: 'one' })).status).toBe(200);
    expect(linesWith('"stack"')).toHaveLength(1);
    expect(linesWith('failed like others')).toHaveLength(19);
    expect(linesWith('takes writes again')).toHaveLength(0);
    create.mockRestore();
    expect(await write()).toBe(201);
    await expect.poll(() => linesWith('takes writes again')).toHaveLength(1);
    expect(JSON.parse(linesWith('takes writes again')[0])).toMatchObject({ level: 30, times: 19 });
    // Within the minute the state is counted and not told again.
    vi.spyOn(app.services.memories, 'create').mockImplementationOnce(async () => Promise.reject(full()));
    expect([await write(), await write()]).toEqual([503, 201]);
    expect(linesWith('"stack"')).toHaveLength(1);
    expect(linesWith('takes writes again')).toHaveLength(1);
  });

  it('the log names background work that fails, and so do the metrics and the status', async () => {
    const { failures } = app.services.system;
    const cause = Object.assign(new Error('whisper'), { code: 'ODD' });
    vi.spyOn(app.services.trash, 'eraseDue').mockRejectedValue(cause);
    const expiry = {
      name: 'trash_expiry',
      everyMs: 3_600_000,
      run: () => app.services.trash.eraseDue(),
    } as const;
    const worker = new JobWorker({ periodic: [expiry], failures });
    worker.start();
    await expect.poll(() => failures.counts).toMatchObject([{ task: 'trash_expiry', failures: 1 }]);
    await worker.stop();
    const line = app.log.find((text) => text.includes('work in the background failed'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      level: 40,
      task: 'trash_expiry',
      times: 1,
      failure: { type: 'Error', code: 'ODD', stack: expect.stringContaining('log.test.ts') },
    });
    expect((await http.get('/metrics')).text).toContain(
      'memoryd_background_failures_total{task="trash_expiry"} 1',
    );
    const status = await http.get<{ data: object }>('/api/system/context/status');
    expect(status.body.data).toMatchObject({
      background: [{ task: 'trash_expiry', failures: 1, lastFailedAt: expect.any(String) }],
    });
  });

  it('the log never contains a key, a content, a query or a part of a URL', async () => {
    await http.post('/api/memories', { content: 'whisper' });
    await http.send('POST', '/api/memories', {
      rawBody: '{"content":"whisper',
      headers: { 'content-type': 'application/json' },
    });
    await http.get('/api/memories/whisper');
    await http.get('/api/memories?limit=whisper', { 'x-request-id': 'last' });
    await lineOf('last');
    const all = app.log.join('\n');
    expect(all).not.toContain('whisper');
    expect(all).not.toContain(http.key?.split('.')[1]);
    expect(all.toLowerCase()).not.toContain('bearer');
  });
});
