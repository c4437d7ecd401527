import { afterEach, describe, expect, it } from 'vitest';
import { createServices, openStorage } from '../../src/container.ts';
import type { Step, StepItem } from '../../src/domain/jobs/step.ts';
import { type AppFixture, newAppFixture } from '../support/app-fixture.ts';
import { engines, newDatabase, type TestDatabase } from '../support/database.ts';
import { newGate } from '../support/gate.ts';
import { testConfig } from '../support/test-config.ts';

/** Writes nothing, and remembers for which texts it was done. */
function recordingStep(version = 1, run: (item: StepItem) => void = () => undefined) {
  const done: string[] = [];
  const step: Step<string> = {
    name: 'record',
    version,
    run: async (batch) =>
      batch.map((item) => {
        run(item);
        return item.memory.content;
      }),
    write: async (_, results) => {
      for (const { result } of results) done.push(result);
    },
  };
  return { step, done };
}

interface Status {
  data: { jobs: object[]; background: { task: string; failures: number }[] };
}

const timeout = { timeout: 20_000 };

describe.each(engines)('a step that fails on %s', (engine) => {
  let app: AppFixture;
  afterEach(() => app.close());

  it('a step that fails is logged, counted, tried three times, parked, shown, and done once it is released', async () => {
    let isBroken = true;
    let tries = 0;
    const { step, done } = recordingStep(1, ({ memory }) => {
      if (!memory.content.includes('poison')) return;
      tries++;
      if (isBroken) throw Object.assign(new Error(`whisper of ${memory.content}`), { code: 'ODD' });
    });
    app = await newAppFixture(engine, { MEMORYD_LOG_LEVEL: 'info' }, { steps: [step], retryMs: [1, 1] });
    const http = await app.newClient();
    for (const content of ['first', 'poison', 'second']) await http.post('/api/memories', { content });
    const jobs = async () => (await http.get<Status>('/api/system/context/status')).body.data.jobs;
    expect(await jobs()).toEqual([{ step: 'record', waiting: 3, failed: 0, parked: 0 }]);
    app.startUpkeep();
    await expect
      .poll(jobs, timeout)
      .toEqual([{ step: 'record', waiting: 0, failed: 0, parked: 1, lastError: 'ODD' }]);
    // Once with the others, and three times alone.
    expect(tries).toBe(4);
    expect(done.toSorted()).toEqual(['first', 'second']);

    const { text } = await http.get('/metrics');
    expect(text.split('\n')).toEqual(
      expect.arrayContaining([
        'memoryd_jobs_parked{step="record"} 1',
        'memoryd_jobs_waiting{step="record"} 0',
        'memoryd_jobs_total{step="record",outcome="done"} 2',
        'memoryd_jobs_total{step="record",outcome="failed"} 2',
        'memoryd_jobs_total{step="record",outcome="parked"} 1',
        'memoryd_background_failures_total{task="step record"} 3',
      ]),
    );
    const line = app.log.find((each) => each.includes('step record'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({ task: 'step record', failure: { code: 'ODD' } });
    expect(app.log.join('')).not.toContain('whisper');
    const status = await http.get<Status>('/api/system/context/status');
    expect(status.body.data.background).toMatchObject([{ task: 'step record', failures: 3 }]);
    expect(status.text).not.toContain('whisper');
    const other = await app.newClient();
    expect((await other.get<Status>('/api/system/context/status')).body.data.jobs).toEqual([]);

    isBroken = false;
    expect(await app.services.system.work.release('another')).toBe(0);
    expect(await app.services.system.work.release()).toBe(1);
    await expect.poll(jobs, timeout).toEqual([]);
    expect(done.toSorted()).toEqual(['first', 'poison', 'second']);
  });

  it('a step that fails keeps the results of others when that of one cannot be written', async () => {
    const { step, done } = recordingStep();
    const write: Step<string>['write'] = async (tx, results) => {
      if (results.some(({ result }) => result === 'poison')) throw new Error('not this one');
      await step.write(tx, results);
    };
    app = await newAppFixture(engine, {}, { steps: [{ ...step, write }], retryMs: [1, 1] });
    const http = await app.newClient();
    for (const content of ['first', 'poison', 'second']) await http.post('/api/memories', { content });
    app.startUpkeep();
    const jobs = async () => (await http.get<Status>('/api/system/context/status')).body.data.jobs;
    await expect
      .poll(jobs, timeout)
      .toEqual([{ step: 'record', waiting: 0, failed: 0, parked: 1, lastError: 'Error' }]);
    expect(done.toSorted()).toEqual(['first', 'second']);
  });
});

describe.each(engines)('steps of a store on %s', (engine) => {
  let database: TestDatabase;
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
    await database.drop();
  });

  const open = async (...steps: readonly Step<never>[]) => {
    const config = testConfig({ MEMORYD_DATABASE_URL: database.url, MEMORYD_EMBEDDER: 'none' });
    const own = { steps: steps as readonly Step[], retryMs: [1, 1] as const };
    const storage = await openStorage(config, { exclusive: true, ...own });
    const services = createServices(config, storage, undefined, own);
    const close = async () => {
      await services.close();
      await storage.close();
    };
    closing.push(close);
    const user = async (name: string) =>
      (await storage.users.findByName(name)) ??
      storage.users.insert({ publicId: name, name, email: `${name}@example.test`, at: 1 });
    const write = async (name: string, content: string) =>
      services.memories.create(await user(name), { content }, { conversationId: 'NEW' });
    return { storage, services, write, close: () => closing.splice(closing.indexOf(close), 1)[0]() };
  };

  it('steps are done for what was written before there was the step, and again when its version rises', async () => {
    database = await newDatabase(engine);
    const older = await open();
    const contents = Array.from({ length: 30 }, (_, i) => `memory ${i}`);
    for (const [i, content] of contents.entries()) await older.write(i % 2 ? 'ann' : 'ben', content);
    await older.close();

    const first = recordingStep(1);
    const newer = await open(first.step as Step<never>);
    newer.services.jobs.start();
    await newer.write('ann', 'late');
    await expect.poll(() => new Set(first.done).size, timeout).toBe(31);
    await expect.poll(() => newer.storage.work.status(), timeout).toEqual([]);
    await newer.close();

    const same = recordingStep(1);
    const again = await open(same.step as Step<never>);
    again.services.jobs.start();
    await again.write('ann', 'later');
    await expect.poll(() => same.done, timeout).toEqual(['later']);
    await again.close();

    const second = recordingStep(2);
    const newest = await open(second.step as Step<never>);
    newest.services.jobs.start();
    await expect.poll(() => new Set(second.done).size, timeout).toBe(32);
  });

  it('steps are done for what was written before while there is always something new to do', async () => {
    database = await newDatabase(engine);
    const older = await open();
    await older.write('ann', 'older');
    await older.close();

    const { step, done } = recordingStep();
    const run: Step<string>['run'] = async (batch) => {
      if (!done.includes('older')) await store.write('ben', `newer ${done.length}`);
      return step.run(batch);
    };
    const store = await open({ ...step, run } as Step<never>);
    await store.write('ben', 'newer');
    store.services.jobs.start();
    await expect.poll(() => done, timeout).toContain('older');
  });

  it('steps hand back at a stop what they took, and the next start does it', async () => {
    database = await newDatabase(engine);
    const { step } = recordingStep();
    const gate = newGate();
    const run = () => gate.pass(async () => []);
    const stopped = await open({ ...step, run } as Step<never>);
    await stopped.write('ann', 'taken');
    stopped.services.jobs.start();
    await gate.reached;
    await stopped.close();
    gate.open();
    const next = recordingStep();
    const store = await open(next.step as Step<never>);
    store.services.jobs.start();
    await expect.poll(() => next.done, timeout).toEqual(['taken']);
    // What was done is written after it was computed.
    await expect.poll(() => store.storage.work.status(), timeout).toEqual([]);
  });
});
