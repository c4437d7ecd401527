import { describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import { deriveAll } from '../support/derive.ts';
import { useApp, useClient } from '../support/use-app.ts';

interface FactBody {
  readonly id: string;
  readonly object: string;
  readonly effectiveState: string;
  readonly validFrom?: string;
  readonly validTo?: string;
  readonly supersededBy?: string;
}

describe.each(engines)('facts of what holds now on %s', (engine) => {
  const app = useApp(engine);
  const http = useClient(app);

  const write = async (content: string, extra: object = {}) => {
    const made = await http.post<{ data: { id: string } }>('/api/memories', { content, ...extra });
    expect([made.status, made.text]).toEqual([201, made.text]);
    await deriveAll(app.services);
    return made.body.data.id;
  };
  const list = async (query = '') =>
    (await http.get<{ data: FactBody[]; count: number }>(`/api/facts?order=asc${query}`)).body;
  const objects = async (query?: string) => (await list(query)).data.map(({ object }) => object);
  const search = async (query: string, extra: object = {}) =>
    (await http.post<{ data: FactBody[]; count: number }>('/api/facts/search', { query, ...extra })).body;

  it('a fact of a superseded memory is left out of lists and searches, and is marked where it is wanted', async () => {
    const older = await write('Marek uses Kafka for the ledger.');
    const [fact] = (await list()).data;
    expect(fact).toMatchObject({ effectiveState: 'current' });
    const newer = await write('The ledger is written by hand.', { supersedes: older });
    expect(await objects()).not.toContain(fact.object);
    expect((await search('Kafka')).count).toBe(0);
    expect((await list(`&memoryId=${older}`)).count).toBe(0);
    const marked = { id: fact.id, effectiveState: 'superseded', supersededBy: newer };
    expect((await list('&includeSuperseded=true')).data).toContainEqual(expect.objectContaining(marked));
    expect((await search('Kafka', { includeSuperseded: true })).data).toMatchObject([marked]);
    expect((await http.get<{ data: FactBody }>(`/api/facts/${fact.id}`)).body.data).toMatchObject(marked);
    await http.delete(`/api/memories/${newer}`);
    expect((await search('Kafka')).data).toMatchObject([{ id: fact.id, effectiveState: 'current' }]);
  });

  it('a fact that another current memory states holds', async () => {
    const older = await write('Marek uses Kafka for the ledger.');
    await write('Marek uses Kafka for the ledger, as ever.');
    await write('Something else replaces the first note.', { supersedes: older });
    expect((await search('Kafka')).data).toMatchObject([{ effectiveState: 'current' }]);
  });

  it('facts of former versions of a named memory are left out', async () => {
    await write('Marek uses Kafka for the ledger.', { name: 'ledger' });
    const version = { content: 'Marek uses Redpanda for the ledger.' };
    const { body } = await http.put<{ data: { id: string } }>('/api/memories/named/ledger', version);
    await deriveAll(app.services);
    expect(await objects()).toEqual(['Redpanda']);
    expect((await list('&includeSuperseded=true')).data).toMatchObject([
      { object: 'Kafka', effectiveState: 'superseded', supersededBy: body.data.id },
      { object: 'Redpanda', effectiveState: 'current' },
    ]);
  });

  it('facts are left out once the validity of their memories has ended, and before it begins', async () => {
    const [validFrom, validTo] = ['2020-01-01T00:00:00.000Z', '2021-01-01T00:00:00.000Z'];
    await write('Olga rents an office in Brno.', { validFrom, validTo });
    await write('Olga rents a garage in Vienna.', { validFrom: '2999-01-01T00:00:00.000Z' });
    expect((await list()).count).toBe(0);
    expect((await search('Olga')).count).toBe(0);
    const states = (await list('&includeSuperseded=true')).data;
    expect(states.map(({ effectiveState }) => effectiveState).sort()).toEqual(
      states.map(({ object }) => (object.includes('office') ? 'expired' : 'future')).sort(),
    );
    expect(states.find(({ effectiveState }) => effectiveState === 'expired')).toMatchObject({
      validFrom,
      validTo,
    });
  });

  it('facts stated by hand hold, and follow a memory that they name', async () => {
    const memoryId = await write('A note on teas.');
    const words = { subject: 'Ada', predicate: 'likes' };
    await http.post('/api/facts', { ...words, object: 'tea', memoryId });
    await http.post('/api/facts', { ...words, object: 'coffee' });
    expect(await objects()).toEqual(['tea', 'coffee']);
    await write('Another note.', { supersedes: memoryId });
    expect(await objects()).toEqual(['coffee']);
    expect(
      await (await app.newClient()).get<{ count: number }>('/api/facts?includeSuperseded=true'),
    ).toMatchObject({
      body: { count: 0 },
    });
  });
});
