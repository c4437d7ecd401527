import { afterEach, describe, expect, it } from 'vitest';
import type { Step, StepItem } from '../../src/domain/jobs/step.ts';
import { type AppFixture, newAppFixture } from '../support/app-fixture.ts';
import { engines } from '../support/database.ts';

interface Job {
  readonly id: string;
  readonly step: string;
  readonly state: string;
  readonly memoryId: string;
  readonly conversationId: string;
  readonly attempts: number;
  readonly lastError?: string;
  readonly failedAt?: string;
  readonly since: string;
}
interface Listed {
  readonly data: readonly Job[];
  readonly pagination: { readonly count: number; readonly nextCursor?: string };
}
interface Changes {
  readonly data: readonly { readonly kind: string; readonly action: string; readonly id: string }[];
  readonly next: string;
}

const timeout = { timeout: 20_000 };

/** Fails for texts with the word, while it is broken. */
function breakingStep() {
  const state = { isBroken: true };
  const step: Step<string> = {
    name: 'record',
    version: 1,
    run: async (batch: readonly StepItem[]) =>
      batch.map(({ memory }) => {
        if (state.isBroken && memory.content.includes('poison'))
          throw Object.assign(new Error('whisper of poison'), { code: 'ODD' });
        return memory.content;
      }),
    write: async () => undefined,
  };
  return { step, state };
}

describe.each(engines)('jobs of a user on %s', (engine) => {
  let app: AppFixture;
  afterEach(() => app.close());

  const open = async () => {
    const breaking = breakingStep();
    app = await newAppFixture(engine, {}, { steps: [breaking.step], retryMs: [1, 1] });
    const http = await app.newClient();
    const list = async (query = '', as = http) => (await as.get<Listed>(`/api/system/jobs${query}`)).body;
    const write = async (content: string) =>
      (await http.post<{ data: { id: string; conversationId: string } }>('/api/memories', { content })).body
        .data;
    return { http, list, write, ...breaking };
  };

  it('jobs are listed, the newest first, and pages neither skip nor repeat one', async () => {
    const { list, write } = await open();
    const made = [await write('first'), await write('second'), await write('third')];
    const { data, pagination } = await list();
    expect(data.map(({ memoryId }) => memoryId)).toEqual(made.map(({ id }) => id).reverse());
    expect(data[0]).toMatchObject({ step: 'record', state: 'waiting', attempts: 0 });
    expect(data[0].conversationId).toBe(made[2].conversationId);
    expect(pagination.count).toBe(3);
    const paged: string[] = [];
    for (let cursor = ''; ; ) {
      const page = await list(`?limit=1${cursor}`);
      paged.push(...page.data.map(({ id }) => id));
      if (page.pagination.nextCursor === undefined) break;
      cursor = `&cursor=${page.pagination.nextCursor}`;
    }
    expect(paged).toEqual(data.map(({ id }) => id));
    expect((await list('?state=failed')).data).toEqual([]);
    expect((await list('?state=running')).data).toEqual([]);
    expect((await list('?state=waiting&step=record')).data).toHaveLength(3);
    expect((await list('?step=other')).data).toEqual([]);
  });

  it('a job that failed says so, also in the list of changes, and is done once it is retried', async () => {
    const { http, list, write, state } = await open();
    const { next } = (await http.get<Changes>('/api/changes?since=now')).body;
    const { id: memoryId } = await write('poison');
    await write('harmless');
    app.startUpkeep();
    await expect.poll(async () => (await list('?state=failed')).data, timeout).toHaveLength(1);
    await expect.poll(async () => (await list()).pagination.count, timeout).toBe(1);
    const [job] = (await list()).data;
    expect(job).toMatchObject({ memoryId, state: 'failed', attempts: 3, lastError: 'ODD' });
    expect(job.failedAt).toBeDefined();
    const { text } = await http.get('/api/system/jobs');
    expect(text).not.toContain('whisper');
    const changes = (await http.get<Changes>(`/api/changes?since=${next}`)).body.data;
    expect(changes.filter(({ kind }) => kind === 'job')).toMatchObject([{ action: 'failed', id: job.id }]);

    state.isBroken = false;
    const retried = await http.post<{ data: Job }>(`/api/system/jobs/${job.id}/retry`);
    expect(retried.status).toBe(200);
    expect(retried.body.data).toMatchObject({ id: job.id, attempts: 0 });
    await expect.poll(async () => (await list()).data, timeout).toEqual([]);
    expect((await http.post(`/api/system/jobs/${job.id}/retry`)).status).toBe(404);
  });

  it('a repeated retry with the same Idempotency-Key answers as the first', async () => {
    const { http, list, write } = await open();
    await write('first');
    const [{ id }] = (await list()).data;
    const once = { 'idempotency-key': 'once' };
    const first = await http.post(`/api/system/jobs/${id}/retry`, {}, once);
    const second = await http.post(`/api/system/jobs/${id}/retry`, {}, once);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(second.body).toEqual(first.body);
  });

  it("another user's job answers like one that never was", async () => {
    const { list, write } = await open();
    await write('first');
    const [{ id }] = (await list()).data;
    const other = await app.newClient();
    expect((await list('', other)).data).toEqual([]);
    interface Refused {
      readonly error: string;
      readonly code: string;
    }
    const answers = [];
    for (const path of [id, 'record~1~999', 'nothing']) {
      const { status, body } = await other.post<Refused>(`/api/system/jobs/${path}/retry`);
      answers.push({ status, error: body.error, code: body.code });
    }
    expect(answers).toEqual(Array(3).fill({ status: 404, error: 'No such job.', code: 'JOB_NOT_FOUND' }));
    expect((await list()).data).toHaveLength(1);
  });
});
