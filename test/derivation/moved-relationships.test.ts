import { afterEach, describe, expect, it } from 'vitest';
import { openStorage } from '../../src/container.ts';
import type { Relationship } from '../../src/domain/relationships/relationship.ts';
import type { TransferRecord } from '../../src/storage/transfer.ts';
import { type AppFixture, newAppFixture } from '../support/app-fixture.ts';
import { engines } from '../support/database.ts';
import { deriveAll } from '../support/derive.ts';
import type { Client } from '../support/http-client.ts';
import { readRows } from '../support/run-statement.ts';
import { newServiceFixture, type ServiceFixture } from '../support/service-fixture.ts';
import { testConfig } from '../support/test-config.ts';

const quiet = () => undefined;

describe.each(engines)('found relationships that are moved or erased on %s', (engine) => {
  let app: AppFixture | undefined;
  let other: ServiceFixture | undefined;
  afterEach(async () => {
    await app?.close();
    await other?.close();
    [app, other] = [undefined, undefined];
  });

  const write = async (http: Client, content: string) =>
    (await http.post<{ data: { id: string } }>('/api/memories', { content })).body.data.id;

  async function change(http: Client, of: AppFixture): Promise<string> {
    await write(http, 'The gateway timeout defaults to 30 seconds.');
    const later = await write(http, 'The gateway timeout defaults to 90 seconds now.');
    await deriveAll(of.services);
    return later;
  }

  async function exported(of: AppFixture): Promise<TransferRecord[]> {
    const [user] = await of.services.users.list();
    const records: TransferRecord[] = [];
    const source = await openStorage(testConfig({ MEMORYD_DATABASE_URL: of.databaseUrl }), {
      exclusive: false,
    });
    try {
      await source.transfer.read({ user: user.name, onProgress: quiet }, async (record) => {
        records.push(record);
      });
    } finally {
      await source.close();
    }
    return records;
  }

  it('the words of a relationship are those of its memories in the store that gets the user', async () => {
    app = await newAppFixture(engine);
    const later = await change(await app.newClient(), app);
    const records = await exported(app);
    other = await newServiceFixture(engine);
    const before = await other.newUser();
    for (let i = 0; i < 3; i++) await other.memories.create(before, { content: `number ${i}` }, {});
    const check = await other.engine.transfer.newCheck({ withKeys: false });
    expect(records.map((record) => check.check(record)).filter((wrong) => wrong !== undefined)).toEqual([]);
    async function* all() {
      yield* records;
    }
    await other.engine.transfer.load(all(), { as: 'moved', at: 1 });
    const moved = await other.engine.users.findByName('moved');
    if (!moved) throw new Error('the user was not loaded');
    const stores = other.engine.forUser(moved);
    const [edge]: Relationship[] = await stores.relationships.listOf(later, 'outgoing', 10);
    if (!edge.evidence) throw new Error('the relationship has no evidence');
    const { earlier, later: after } = edge.evidence;
    expect(await stores.foundRelationships.textsAt([earlier, after])).toEqual(['30 seconds', '90 seconds']);
  });

  it('an export whose evidence names a version of nobody is refused with the rule', async () => {
    app = await newAppFixture(engine);
    await change(await app.newClient(), app);
    const records = await exported(app);
    other = await newServiceFixture(engine);
    for (const evidence of ['{"earlier":[999999,0,1],"later":[999999,0,1]}', '{}', 'no JSON']) {
      const check = await other.engine.transfer.newCheck({ withKeys: false });
      const forged = records.map((record) =>
        'table' in record && record.table === 'memory_edges'
          ? { ...record, row: { ...record.row, evidence } }
          : record,
      );
      expect(forged.map((record) => check.check(record)).filter((wrong) => wrong !== undefined)).toEqual([
        expect.stringMatching(
          /^memory_edges \(id [\w-]+\): evidence must name places in versions of the user$/,
        ),
      ]);
    }
  });

  it('nothing of a relationship or a candidate is left when a memory of it is erased', async () => {
    app = await newAppFixture(engine);
    const http = await app.newClient();
    const later = await change(http, app);
    const problem = await write(http, 'The nightly backup of the ledger database fails.');
    await write(http, 'We are still waiting to get the ledger backup fixed.');
    await deriveAll(app.services);
    const database = { engine, url: app.databaseUrl };
    const rows = async (table: string) =>
      Number((await readRows(database, `SELECT count(*) AS n FROM ${table}`))[0].n);
    expect([await rows('memory_edges'), await rows('edge_candidates')]).toEqual([1, 1]);
    for (const id of [later, problem]) await http.delete(`/api/memories/${id}`);
    const { body } = await http.get<{ data: { id: string }[] }>('/api/trash');
    for (const { id } of body.data) await http.delete(`/api/trash/${id}`);
    expect([await rows('memory_edges'), await rows('edge_candidates')]).toEqual([0, 0]);
  });
});
