import { afterEach, describe, expect, it } from 'vitest';
import { createServices, openStorage } from '../../src/container.ts';
import type { Step } from '../../src/domain/jobs/step.ts';
import { type AppFixture, newAppFixture } from '../support/app-fixture.ts';
import { engines, newDatabase, type TestDatabase } from '../support/database.ts';
import { deriveAll } from '../support/derive.ts';
import { testConfig } from '../support/test-config.ts';

/** A step that notes `name text` of each memory. */
function noting(done: string[], name: string, after?: string): Step<string> {
  return {
    name,
    version: 1,
    after,
    run: async (batch) => batch.map(({ memory }) => memory.content),
    write: async (_, results) => {
      for (const { result } of results) done.push(`${name} ${result}`);
    },
  };
}

describe.each(engines)('a step after another on %s', (engine) => {
  let app: AppFixture | undefined;
  let database: TestDatabase | undefined;
  afterEach(async () => {
    await app?.close();
    await database?.drop();
  });

  it('a step after another is recorded when that one is done for a version, and each time it is done', async () => {
    const done: string[] = [];
    const steps = [noting(done, 'later', 'sooner'), noting(done, 'sooner')];
    app = await newAppFixture(engine, {}, { steps });
    const http = await app.newClient();
    const { body } = await http.post<{ data: { id: string } }>('/api/memories', { content: 'one' });
    const jobs = async () =>
      (
        await http.get<{ data: { jobs: { step: string }[] } }>('/api/system/context/status')
      ).body.data.jobs.map(({ step }) => step);
    expect(await jobs()).toEqual(['sooner']);
    await deriveAll(app.services);
    await http.put(`/api/memories/${body.data.id}`, { content: 'two' });
    await deriveAll(app.services);
    expect(done).toEqual(['sooner one', 'later one', 'sooner two', 'later two']);
  });

  it('a step after another is done once for memories that are older than both', async () => {
    database = await newDatabase(engine);
    const config = testConfig({ MEMORYD_DATABASE_URL: database.url });
    const before = await openStorage(config, { exclusive: true, steps: [] });
    const user = await before.users.insert({ publicId: 'p', name: 'n', email: 'n@example.test', at: 1 });
    await createServices(config, before, undefined, { steps: [] }).memories.create(
      user,
      { content: 'old' },
      {},
    );
    await before.close();
    const done: string[] = [];
    const steps = [noting(done, 'sooner'), noting(done, 'later', 'sooner')];
    const storage = await openStorage(config, { exclusive: true, steps });
    await deriveAll(createServices(config, storage, undefined, { steps }));
    await storage.close();
    expect(done).toEqual(['sooner old', 'later old']);
  });
});
