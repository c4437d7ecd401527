import { afterEach, describe, expect, it } from 'vitest';
import { ThreadDeriver } from '../../src/derivation/thread-deriver.ts';
import { type AppFixture, newAppFixture } from '../support/app-fixture.ts';

const timeout = { timeout: 60_000 };

describe('a rule that never ends', () => {
  let app: AppFixture;
  afterEach(() => app.close());

  it('a text whose derivation does not end is parked with the reason, and all others are derived and related', async () => {
    const texts = new ThreadDeriver({
      file: new URL('endless-thread.mjs', import.meta.url),
      deadlineMs: 4000,
    });
    app = await newAppFixture('sqlite', { MEMORYD_LOG_LEVEL: 'info' }, { texts });
    const [http, other] = [await app.newClient(), await app.newClient()];
    const write = async (client: typeof http, content: string) =>
      (await client.post<{ data: { id: string } }>('/api/memories', { content })).body.data.id;
    const before = await write(http, 'The harbour crane is late.');
    const endless = await write(http, 'endless: the harbour crane is late.');
    const others = await write(other, 'The harbour crane is late.');
    app.startUpkeep();
    const statusOf = async (client: typeof http, id: string) => {
      const path = `/api/memories/${id}?detail=full`;
      return (await client.get<{ data: { extractionStatus: string } }>(path)).body.data.extractionStatus;
    };
    await expect.poll(() => statusOf(http, endless), timeout).toBe('failed');
    // It is a neighbour of this one, and is not read again for it.
    const after = await write(http, 'The harbour crane is late again.');
    await expect.poll(() => statusOf(http, after), timeout).toBe('completed');
    expect(await statusOf(http, before)).toBe('completed');
    expect(await statusOf(other, others)).toBe('completed');
    type Status = { data: { jobs: object[] } };
    const jobs = async () => (await http.get<Status>('/api/system/context/status')).body.data.jobs;
    await expect
      .poll(jobs, timeout)
      .toEqual([{ step: 'derive', waiting: 0, failed: 0, parked: 1, lastError: 'TASK_DEADLINE' }]);
    const { text } = await http.get('/metrics');
    expect(text).toContain('memoryd_jobs_parked{step="derive"} 1');
    expect(app.log.some((line) => line.includes('step derive') && line.includes('TASK_DEADLINE'))).toBe(true);
  });
});
