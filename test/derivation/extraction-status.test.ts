import { afterEach, describe, expect, it } from 'vitest';
import { type AppFixture, newAppFixture } from '../support/app-fixture.ts';
import { engines } from '../support/database.ts';
import { deriveAll } from '../support/derive.ts';

interface Body {
  readonly data: {
    readonly id: string;
    readonly extractionStatus?: string;
    readonly extractionSkipReason?: string;
    readonly extractionCompletedAt?: string;
  };
}

describe.each(engines)('the status of extraction on %s', (engine) => {
  let app: AppFixture;
  afterEach(() => app.close());

  async function start(settings: Readonly<Record<string, string>> = {}) {
    app = await newAppFixture(engine, settings);
    const http = await app.newClient();
    const write = async (content: string) =>
      (await http.post<Body>('/api/memories', { content })).body.data.id;
    const read = async (id: string) =>
      (await http.get<Body>(`/api/memories/${id}?detail=standard`)).body.data;
    return { http, write, read };
  }

  it('a memory is pending until it is derived, and then completed with the time', async () => {
    const { write, read } = await start();
    const id = await write('Marek uses Kafka.');
    expect(await read(id)).toMatchObject({ extractionStatus: 'pending' });
    await deriveAll(app.services);
    const record = await read(id);
    expect(record).toMatchObject({ extractionStatus: 'completed' });
    expect(Date.parse(record.extractionCompletedAt ?? '')).toBeGreaterThan(0);
  });

  it('a memory without letters and digits is skipped as too short', async () => {
    const { write, read } = await start();
    const id = await write('🎉🎉🎉 !!!');
    await deriveAll(app.services);
    expect(await read(id)).toMatchObject({
      extractionStatus: 'skipped',
      extractionSkipReason: 'content_too_short',
    });
  });

  it('where derivation is switched off, memories are skipped and no work is recorded', async () => {
    const { http, write, read } = await start({ MEMORYD_DERIVE: 'false' });
    const id = await write('Marek uses Kafka.');
    expect(await read(id)).toMatchObject({
      extractionStatus: 'skipped',
      extractionSkipReason: 'global_disabled',
    });
    const status = await http.get<{ data: { jobs: unknown[] } }>('/api/system/context/status');
    expect(status.body.data.jobs).toEqual([]);
  });

  it('an edit of other fields keeps what was derived from the text, at once', async () => {
    const { http, write, read } = await start();
    const id = await write('Marek uses Kafka.');
    await deriveAll(app.services);
    await http.put(`/api/memories/${id}`, { context: 'a note' });
    expect(await read(id)).toMatchObject({ extractionStatus: 'completed' });
    expect((await http.get<{ data: unknown[] }>('/api/facts')).body.data).toHaveLength(1);
    await http.put(`/api/memories/${id}`, { content: 'Marek uses Redis.' });
    expect(await read(id)).toMatchObject({ extractionStatus: 'pending' });
    expect((await http.get<{ data: unknown[] }>('/api/facts')).body.data).toHaveLength(0);
  });
});
