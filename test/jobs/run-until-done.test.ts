import { afterEach, describe, expect, it } from 'vitest';
import type { Step } from '../../src/domain/jobs/step.ts';
import { doWaiting } from '../../src/jobs/run-until-done.ts';
import { type AppFixture, newAppFixture } from '../support/app-fixture.ts';
import { engines } from '../support/database.ts';
import { runStatement } from '../support/run-statement.ts';

describe.each(engines)('doing what waits on %s', (engine) => {
  let app: AppFixture;
  afterEach(() => app.close());

  it('a program does not wait for work that a newer program recorded for the same step', async () => {
    const done: string[] = [];
    const step: Step<string> = {
      name: 'record',
      version: 1,
      run: async (batch) => batch.map(({ memory }) => memory.content),
      write: async (_, results) => {
        for (const { result } of results) done.push(result);
      },
    };
    app = await newAppFixture(engine, {}, { steps: [step] });
    const http = await app.newClient();
    await http.post('/api/memories', { content: 'of the newer program' });
    const database = { engine, url: app.databaseUrl };
    await runStatement(database, `UPDATE jobs SET version = 2 WHERE step = 'record'`);
    await http.post('/api/memories', { content: 'of this program' });
    const { storage } = app;
    const parked = await doWaiting(
      { steps: [step], spaces: storage.vectorSpaces, work: storage.work, failures: storage.failures },
      () => undefined,
    );
    expect(parked).toBe(0);
    expect(done).toEqual(['of this program']);
    expect(await storage.work.status()).toMatchObject([{ step: 'record', waiting: 1 }]);
  });
});
