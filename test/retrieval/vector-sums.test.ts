import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines, newDatabase, type TestDatabase } from '../support/database.ts';
import { type EmbeddingFixture, openWith } from '../support/embedding-fixture.ts';
import { readRows, runStatement } from '../support/run-statement.ts';

const quiet = () => undefined;
const contents = Array.from({ length: 12 }, (_, i) => `note ${i} on ${i % 2 ? 'giraffes' : 'violins'}`);
const newest = '(SELECT max(doc) FROM memory_vectors)';
/** Half of the rows get the vector of another one: bytes that are a vector, and not theirs. */
const spoil = `UPDATE memory_vectors SET vector = (SELECT m.vector FROM memory_vectors AS m WHERE m.doc = ${newest})
  WHERE doc < ${newest} AND doc % 2 = 0`;

describe.each(engines)('vectors that are not what was written, on %s', (engine) => {
  let database: TestDatabase;
  let opened: EmbeddingFixture;
  let right: string[];
  const open = async () => {
    opened = await openWith(database, 'static', { serving: false });
    return opened;
  };
  const check = async () => (await opened.storage.upkeep.check(quiet)).faults;
  const found = () => opened.found('ann', 'giraffe', { threshold: 0 });

  beforeAll(async () => {
    database = await newDatabase(engine);
    await open();
    for (const content of contents) await opened.write('ann', content);
    right = await found();
    expect(await check()).toEqual([]);
  });
  afterAll(async () => {
    await opened.close();
    await database.drop();
  });

  it('check names them, a repair makes them again, and searches answer as before', async () => {
    await runStatement(database, spoil);
    const report = await opened.storage.upkeep.check(quiet);
    expect(report.faults).toMatchObject([{ missing: [], damagedVectors: expect.arrayContaining([]) }]);
    expect(report.faults[0].damagedVectors.length).toBeGreaterThan(4);
    await opened.storage.upkeep.repair(report, { at: 5000, onProgress: quiet });
    expect(await check()).toEqual([]);
    expect(await found()).toEqual(right);
  });

  it('a search that reads them does not use them, reports them, and has them made again', async () => {
    await runStatement(database, spoil);
    await opened.close();
    await open();
    await found();
    expect(opened.storage.failures.counts).toMatchObject([{ task: 'memory_vectors', failures: 1 }]);
    await expect.poll(check).toEqual([]);
    expect(await found()).toEqual(right);
    expect(opened.storage.failures.counts).toMatchObject([{ task: 'memory_vectors', failures: 1 }]);
  });

  it('those from before there were sums are used, and get theirs by the job', async () => {
    await runStatement(database, 'UPDATE memory_vectors SET crc = NULL');
    expect(await check()).toEqual([]);
    expect(await found()).toEqual(right);
    const { vectorSums } = opened.storage.maintenance;
    while ((await vectorSums.slice(new AbortController().signal)).more);
    const [{ rows }] = await readRows(
      database,
      'SELECT count(*) AS rows FROM memory_vectors WHERE crc IS NULL',
    );
    expect(Number(rows)).toBe(0);
    await runStatement(database, spoil);
    expect((await check()).length).toBe(1);
  });
});
