import { describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import { deriveAll } from '../support/derive.ts';
import { useApp, useClient } from '../support/use-app.ts';

interface FactBody {
  readonly id: string;
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  readonly confidence: number;
  readonly confidenceBasis?: string;
  readonly mentionCount: number;
  readonly sourceMemoryIds: readonly string[];
  readonly corrected?: boolean;
  readonly negated?: boolean;
}

describe.each(engines)('facts that were derived on %s', (engine) => {
  const app = useApp(engine);
  const http = useClient(app);

  const write = async (content: string) => {
    const made = await http.post<{ data: { id: string } }>('/api/memories', { content });
    await deriveAll(app.services);
    return made.body.data.id;
  };
  const edit = async (id: string, content: string) => {
    await http.put(`/api/memories/${id}`, { content });
    await deriveAll(app.services);
  };
  const list = async (query = '') =>
    (await http.get<{ data: FactBody[]; count: number }>(`/api/facts${query}`)).body;
  const only = async () => {
    const { data } = await list();
    expect(data.length).toBe(1);
    return data[0];
  };
  const found = async (query: string) =>
    (await http.post<{ data: FactBody[] }>('/api/facts/search', { query })).body.data.map(({ id }) => id);
  const entry = async () =>
    (await http.get<{ data: { id: string; recordId: string }[] }>('/api/trash?kind=fact')).body.data[0];

  it('facts about an entity are listed, with those about one merged into it', async () => {
    await write('Marek uses Kafka for the ledger.');
    await write('Ana moved to Lisbon.');
    const entities = (await http.get<{ data: { id: string; name: string }[] }>('/api/entities')).body.data;
    const [marek, ana] = ['Marek', 'Ana'].map((name) => entities.find((one) => one.name === name)?.id);
    const about = async (id: string | undefined, more = '') =>
      (await list(`?order=asc&entityId=${id}${more}`)).data.map(({ subject }) => subject);
    expect(await about(marek)).toEqual(['Marek']);
    expect(await about(marek, '&q=lisbon')).toEqual([]);
    expect(await about(marek, '&minConfidence=0.01&subject=marek')).toEqual(['Marek']);
    await http.post('/api/entities/merge', { sourceEntityId: marek, targetEntityId: ana });
    for (const id of [marek, ana]) expect(await about(id)).toEqual(['Marek', 'Ana']);
    const other = await app.newClient();
    expect((await other.get(`/api/facts?entityId=${marek}`)).body).toEqual({ data: [], count: 0 });
  });

  it('a derived fact names its memory, how it is said and how sure that is', async () => {
    const memory = await write('Marek uses Kafka for the ledger.');
    const fact = await only();
    expect(fact).toMatchObject({
      subject: 'Marek',
      confidenceBasis: 'direct-statement',
      mentionCount: 1,
      sourceMemoryId: memory,
      sourceMemoryIds: [memory],
    });
    expect(fact).not.toHaveProperty('corrected');
    expect(fact).not.toHaveProperty('negated');
    expect((await http.get(`/api/facts/${fact.id}`)).body).toEqual({ data: fact });
    expect((await list(`?memoryId=${memory}`)).data).toEqual([fact]);
    expect((await list(`?memoryId=${await write('ok')}`)).data).toEqual([]);
    expect(await found('Kafka')).toEqual([fact.id]);
    const other = await app.newClient();
    expect((await other.get(`/api/facts/${fact.id}`)).status).toBe(404);
  });

  it('a fact of two memories names both, and loses one with it', async () => {
    const first = await write('Marek uses Kafka for the ledger.');
    const second = await write('Marek uses Kafka for the ledger, as ever.');
    expect(await only()).toMatchObject({
      confidenceBasis: 'repeated-mention',
      mentionCount: 2,
      sourceMemoryIds: [first, second],
    });
    await http.delete(`/api/memories/${first}`);
    expect(await only()).toMatchObject({ confidenceBasis: 'direct-statement', sourceMemoryIds: [second] });
    await edit(second, 'Nothing of that is so.');
    expect(await list()).toMatchObject({ data: [], count: 0 });
  });

  it('facts that deny something say so, and the surest come first', async () => {
    await write('Marek does not use Kafka.');
    await write('Yuki might move to Lisbon.');
    await write('Ana moved to Porto.');
    const { data } = await list('?sortBy=confidence');
    const confidences = data.map(({ confidence }) => confidence);
    expect(confidences).toEqual([...confidences].sort((a, b) => b - a));
    expect(data.filter(({ negated }) => negated).map(({ subject }) => subject)).toEqual(['Marek']);
    const lowest = (await list('?sortBy=confidence&order=asc')).data;
    expect(lowest.map(({ id }) => id)).toEqual(data.map(({ id }) => id).reverse());
  });

  it('a derived fact that a person changed stays as written, whatever is derived later', async () => {
    const memory = await write('Marek uses Kafka for the ledger.');
    const { id } = await only();
    const change = { object: 'Kafka 4', confidence: 0.4 };
    const changed = await http.put<{ data: FactBody }>(`/api/facts/${id}`, change);
    expect(changed.body.data).toMatchObject({ id, object: 'Kafka 4', confidence: 0.4, corrected: true });
    expect(changed.body.data).not.toHaveProperty('confidenceBasis');
    await edit(memory, 'Marek uses Kafka for the ledger. It rains.');
    await write('Marek uses Kafka for the ledger, as ever.');
    expect(await only()).toMatchObject({ id, object: 'Kafka 4', confidence: 0.4, mentionCount: 2 });
  });

  it('a derived fact that was deleted does not return until it is restored', async () => {
    const memory = await write('Marek uses Kafka for the ledger.');
    const fact = await only();
    expect((await http.delete(`/api/facts/${fact.id}`)).status).toBe(204);
    await edit(memory, 'Marek uses Kafka for the ledger. It rains.');
    expect((await list()).count).toBe(0);
    expect(await found('Kafka')).toEqual([]);
    await http.post(`/api/trash/${(await entry()).id}/restore`);
    expect(await only()).toEqual(fact);
    expect(await found('Kafka')).toEqual([fact.id]);
  });

  it('a derived fact that was erased from the trash does not return', async () => {
    const memory = await write('Marek uses Kafka for the ledger.');
    await http.delete(`/api/facts/${(await only()).id}`);
    expect((await http.delete(`/api/trash/${(await entry()).id}`)).status).toBe(204);
    await edit(memory, 'Marek uses Kafka for the ledger. It rains.');
    await write('Marek uses Kafka for the ledger, as ever.');
    expect((await list()).count).toBe(0);
    expect(await found('Kafka')).toEqual([]);
  });
});
