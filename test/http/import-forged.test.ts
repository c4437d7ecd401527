import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStorage } from '../../src/container.ts';
import { QualityService } from '../../src/domain/quality/quality-service.ts';
import type { TransferRecord } from '../../src/storage/transfer.ts';
import { type AppFixture, newAppFixture } from '../support/app-fixture.ts';
import { engines } from '../support/database.ts';
import { at, type Fields, fieldsOf, forgeries, tableOf, withDerived } from '../support/forgeries.ts';
import type { Client } from '../support/http-client.ts';
import { type Random, randomFrom } from '../support/random.ts';
import { newServiceFixture, type ServiceFixture } from '../support/service-fixture.ts';
import { testConfig } from '../support/test-config.ts';

const quiet = () => undefined;
const mutationsPerTable = 6;

/** A number that a forger, or a broken disk, may put in the place of another. */
function forged(random: Random, value: number): number {
  const foreign = [0, 1, -1, 2, 1e6, 2 ** 31, 2 ** 32, 2 ** 40, 2 ** 53 - 2, Number.MAX_SAFE_INTEGER];
  const near = [value + 1, value - 1, value * 2, value + 1000, -value, value + 0.5];
  return random.pick([...foreign, ...near].filter((other) => other !== value));
}

const numbersOf = (fields: Fields) => Object.keys(fields).filter((name) => typeof fields[name] === 'number');

/** Copies of the records with one number of the table changed: all extremes in a head, some of all others. */
function mutations(records: readonly TransferRecord[], table: string, random: Random): TransferRecord[][] {
  const places = records.flatMap((record, i) =>
    tableOf(record) === table ? numbersOf(fieldsOf(record)).map((name) => ({ i, name })) : [],
  );
  if (places.length === 0) return [];
  const changed = ({ i, name }: { i: number; name: string }, to?: number) => {
    const copy = structuredClone(records) as TransferRecord[];
    const fields = fieldsOf(copy[i]);
    fields[name] = to ?? forged(random, fields[name] as number);
    return copy;
  };
  if (table === 'users') return places.map((place) => changed(place, Number.MAX_SAFE_INTEGER - 1));
  return Array.from({ length: mutationsPerTable }, () => changed(random.pick(places)));
}

describe.each(engines)('an export with a changed number, imported on %s', (engine) => {
  let app: AppFixture;
  let fixture: ServiceFixture;
  let records: TransferRecord[];
  beforeAll(async () => {
    app = await newAppFixture(engine);
    fixture = await newServiceFixture(engine);
    records = await sampleExport(await app.newClient(), app, fixture);
  });
  afterAll(async () => {
    await app.close();
    await fixture.close();
  });

  it('an export with a changed number is refused with nothing written, or leaves a store that works and that check finds right', async () => {
    const { engine: store } = fixture;
    const other = await fixture.newUser();
    const tables = [...new Set(records.map(tableOf))];
    expect(tables.length).toBeGreaterThan(12);
    const outcomes = { refused: 0, loaded: 0 };
    for (const [place, table] of tables.entries()) {
      for (const [seed, changed] of mutations(records, table, randomFrom(place)).entries()) {
        const name = `copy-${place}-${seed}`;
        const isLoaded = await imported(fixture, changed, name);
        outcomes[isLoaded ? 'loaded' : 'refused']++;
        const copy = await store.users.findByName(name);
        expect(copy !== undefined).toBe(isLoaded);
        expect(await store.users.listInactive()).toEqual([]);
        for (const user of copy ? [copy, other] : [other])
          await fixture.memories.create(user, { content: 'written after the import' }, {});
        if (copy) {
          expect(await store.upkeep.check(quiet), `${table} ${seed}`).toMatchObject({
            orphans: [],
            strays: [],
            faults: [],
            damage: [],
            indexDamage: [],
          });
          await store.users.erase(copy);
        }
      }
    }
    expect(outcomes.refused).toBeGreaterThan(10);
    expect(outcomes.loaded).toBeGreaterThan(5);
  }, 600_000);

  it('an export whose versions of a chain are in another order is refused with the rule', async () => {
    const copy = structuredClone(records);
    const chained = copy.filter(
      (record) => tableOf(record) === 'memories' && fieldsOf(record).chain_id !== null,
    );
    const [first, second] = chained.map(fieldsOf).sort((a, b) => Number(a.seq) - Number(b.seq));
    for (const version of [Number(second.chain_version), Number(second.chain_version) + 1]) {
      first.chain_version = version;
      const check = await fixture.engine.transfer.newCheck({ withKeys: false });
      expect(copy.map((record) => check.check(record)).filter((wrong) => wrong !== undefined)).toEqual([]);
      expect(check.end()).toContain(
        `memories: chain_version of seq ${second.seq} must be above those written before it`,
      );
    }
  });

  it('an export with a value, a text or a reference that the API would not take is refused with the row, the column and the rule', async () => {
    const wrongIn = async (all: readonly TransferRecord[]) => {
      const check = await fixture.engine.transfer.newCheck({ withKeys: false });
      return [
        ...all.map((record) => check.check(record)).filter((wrong) => wrong !== undefined),
        ...check.end(),
      ];
    };
    expect(await wrongIn(withDerived(records))).toEqual([]);
    for (const [table, change, rule] of forgeries) {
      const copy = withDerived(structuredClone(records) as TransferRecord[]);
      const rows = copy.filter((record) => tableOf(record) === table).map(fieldsOf);
      expect(rows.length, table).toBeGreaterThan(0);
      change(rows, copy);
      const [wrong] = await wrongIn(copy);
      expect(wrong, `${table}: ${rule}`).toMatch(
        /^(\w+ \(\w+ .+\)|behaviour_states): |must not lead in a circle/,
      );
      expect(wrong).toContain(rule);
    }
  });

  it('a store with such rows is found wrong by check, judged all the same, and mended where the rule is known', async () => {
    const copy = withDerived(structuredClone(records) as TransferRecord[]);
    const of = (table: string) => copy.filter((record) => tableOf(record) === table).map(fieldsOf);
    for (const row of of('memory_versions')) Object.assign(row, { effective_state: 'nope' });
    const [type] = of('entities');
    type.type = '__proto__';
    const { engine: store } = fixture;
    await store.transfer.load(asStream(copy), { as: 'wrong', at });
    const user = await store.users.findByName('wrong');
    if (!user) throw new Error('The user is missing.');
    const quality = new QualityService({
      stores: store,
      clock: { now: () => at },
      memories: fixture.memories,
    });
    expect((await quality.report(user, 0.4)).averageQuality).toBeGreaterThan(0);
    const found = await store.upkeep.check(quiet);
    const [faults] = found.faults;
    expect(faults.unfitRows).toBe(of('memory_versions').length + 1);
    expect(faults.unfit[0]).toMatch(/^memory_versions \(doc \d+\): effective_state must be one of current, /);
    expect(faults.unfit.at(-1)).toContain('type must be one of PERSON, ');
    await store.upkeep.repair(found, { at, onProgress: quiet });
    const [left] = (await store.upkeep.check(quiet)).faults;
    expect(left).toMatchObject({ wrongStates: [], unfitRows: 1 });
    await store.users.erase(user);
  });

  it('an export with a number beyond all bounds is refused with its line and the rule', async () => {
    const check = await fixture.engine.transfer.newCheck({ withKeys: false });
    const [head] = structuredClone(records) as [TransferRecord];
    Object.assign(fieldsOf(head), { lastDoc: 9_007_199_254_740_990 });
    expect(check.check(head)).toBe('user: firstDoc and lastDoc must be in order and at most 1099511627776');
  });
});

async function* asStream(records: readonly TransferRecord[]) {
  yield* records;
}

async function imported(
  { engine }: ServiceFixture,
  records: readonly TransferRecord[],
  as: string,
): Promise<boolean> {
  const check = await engine.transfer.newCheck({ withKeys: false });
  if (records.some((record) => check.check(record) !== undefined) || check.end().length > 0) return false;
  return engine.transfer.load(asStream(records), { as, at }).then(
    () => true,
    () => false,
  );
}

/** What one user has after doing a little of everything. */
async function sampleExport(
  http: Client,
  app: AppFixture,
  { engine }: ServiceFixture,
): Promise<TransferRecord[]> {
  type Made = { data: { id: string } };
  const post = async (path: string, body: object) => (await http.post<Made>(path, body)).body.data?.id;
  const ids: string[] = [];
  for (let i = 0; i < 6; i++) {
    const body = { content: `memory ${i}`, topics: ['a', `t${i}`], importance: 0.5, eventTime: '2026-01-02' };
    ids.push(await post('/api/memories', { ...body, ...(i === 0 && { name: 'plan' }) }));
  }
  await http.put(`/api/memories/${ids[1]}`, { content: 'changed' });
  await http.put('/api/memories/named/plan', { content: 'the next plan' });
  await post(`/api/memories/${ids[2]}/relationships`, { targetMemoryId: ids[3], type: 'SUPERSEDES' });
  const fact = await post('/api/facts', { subject: 's', predicate: 'p', object: 'o', memoryId: ids[2] });
  await http.patch(`/api/facts/${fact}`, { object: 'other' });
  await post('/api/artifacts', { content: 'text', type: 'text', memoryId: ids[2] });
  const thread = await post('/api/narratives', { title: 'thread', rootMemoryId: ids[2], topics: ['a'] });
  await post(`/api/narratives/${thread}/memories`, { memoryId: ids[3] });
  await http.post('/api/memories/search/feedback', {
    memoryId: ids[2],
    action: 'selected',
    resultPosition: 1,
  });
  await http.post('/api/topics/merge', { sourceTopicId: 't2', targetTopicId: 't3' });
  await http.delete(`/api/memories/${ids[5]}`);
  const me = await http.get<Made>('/api/users/me');
  const user = (await app.services.users.list()).find(({ publicId }) => publicId === me.body.data.id);
  const records: TransferRecord[] = [];
  const source = await openStorage(testConfig({ MEMORYD_DATABASE_URL: app.databaseUrl }), {
    exclusive: false,
  });
  try {
    await source.transfer.read({ user: user?.name ?? '', onProgress: quiet }, async (record) => {
      records.push(record);
    });
  } finally {
    await source.close();
  }
  expect(await engine.users.list()).toEqual([]);
  return records;
}
