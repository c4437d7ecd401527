import { describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import { deriveAll } from '../support/derive.ts';
import { useApp, useClient } from '../support/use-app.ts';

interface PlacedBody {
  readonly start?: number;
  readonly end?: number;
}
interface EntityBody extends PlacedBody {
  readonly id: string;
  readonly name: string;
  readonly type: string;
}
interface FactBody extends PlacedBody {
  readonly id: string;
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  readonly confidence: number;
  readonly confidenceBasis?: string;
}
interface DetailBody {
  readonly id: string;
  readonly topics?: readonly string[];
  readonly userTopics?: readonly string[];
  readonly extractedTopics?: readonly string[];
  readonly entities?: readonly EntityBody[];
  readonly facts?: readonly FactBody[];
  readonly extractedTopicCount?: number;
  readonly extractedEntityCount?: number;
  readonly extractedFactCount?: number;
}
type One = { data: DetailBody };
type Many = { data: DetailBody[] };

const sentence = 'Ana: I moved to Lisbon in March and work for Nordlicht now.';

describe.each(engines)('what was derived from a memory, shown with it on %s', (engine) => {
  const app = useApp(engine);
  const http = useClient(app);

  const write = async (content: string, fields: object = {}) => {
    const made = await http.post<One>('/api/memories', { content, ...fields });
    await deriveAll(app.services);
    return made.body.data.id;
  };
  const read = async (id: string, detail: string) =>
    (await http.get<One>(`/api/memories/${id}?detail=${detail}`)).body.data;
  const said = (facts: readonly FactBody[] = []) =>
    facts.map(({ subject, predicate, object }) => `${subject} ${predicate} ${object}`).sort();
  const search = async (body: object) =>
    (await http.post<Many>('/api/memories/search', { query: 'Lisbon', ...body })).body.data;

  it('entities and facts of a memory have their place in its text, and a fact the places of all memories', async () => {
    const id = await write(sentence);
    const again = await write('Yes. I moved to Lisbon, says Ana.');
    const { entities = [], facts = [] } = await read(id, 'full');
    const cut = ({ start = 0, end = 0 }: PlacedBody) => sentence.slice(start, end);
    expect(entities.map(cut)).toEqual(['Ana', 'Lisbon', 'Nordlicht']);
    expect(facts.map((fact) => [fact.object, cut(fact)]).sort()).toEqual([
      ['Lisbon', 'moved to Lisbon'],
      ['Nordlicht', expect.stringContaining('work for Nordlicht')],
    ]);
    const of = facts.find(({ object }) => object === 'Lisbon');
    const fact = await http.get<{ data: { mentions: (PlacedBody & { memoryId: string })[] } }>(
      `/api/facts/${of?.id}`,
    );
    const { mentions } = fact.body.data;
    expect(mentions[0]).toEqual({
      memoryId: id,
      start: of?.start,
      end: of?.end,
      confidence: expect.any(Number),
    });
    for (const { memoryId } of mentions) expect([id, again]).toContain(memoryId);
    const stated = await http.post<{ data: { mentions?: unknown } }>('/api/facts', {
      subject: 'Ana',
      predicate: 'likes',
      object: 'tea',
    });
    expect(stated.body.data.mentions).toBeUndefined();
    const other = await app.newClient();
    expect((await other.get(`/api/facts/${of?.id}`)).status).toBe(404);
  });

  it('details of a memory have its entities, facts and topics at standard and full, and none at minimal', async () => {
    const id = await write(sentence, { topics: ['moving'] });
    const shown = await read(id, 'standard');
    expect(shown.entities?.map(({ name, type }) => [name, type])).toEqual([
      ['Ana', 'PERSON'],
      ['Lisbon', 'LOCATION'],
      ['Nordlicht', 'ORGANIZATION'],
    ]);
    expect(said(shown.facts)).toEqual(['Ana moved to Lisbon', 'Ana work for Nordlicht']);
    expect(shown.facts?.map(({ confidenceBasis }) => confidenceBasis)).toEqual([
      'direct-statement',
      'direct-statement',
    ]);
    expect([shown.topics, shown.userTopics]).toEqual([['moving'], ['moving']]);
    expect(shown.extractedTopics?.length).toBeGreaterThan(0);
    expect(shown).toMatchObject({
      extractedEntityCount: 3,
      extractedFactCount: 2,
      extractedTopicCount: shown.extractedTopics?.length,
    });
    const full = await read(id, 'full');
    expect(full).toMatchObject({ entities: shown.entities, facts: shown.facts });
    for (const field of ['entities', 'facts', 'extractedTopics', 'userTopics', 'extractedFactCount'])
      expect(await read(id, 'minimal')).not.toHaveProperty(field);
  });

  it('details of a memory have the one part that it has, whichever that is, and not those of another memory', async () => {
    const [stated, source, target] = [await write('Yes.'), await write('No.'), await write('Well.')];
    await http.post('/api/facts', {
      subject: 'Ana',
      predicate: 'likes',
      object: 'tea',
      memoryId: stated,
    });
    const edge = { targetMemoryId: target, type: 'CONTRADICTS' };
    expect((await http.post(`/api/memories/${source}/relationships`, edge)).status).toBe(201);
    const ids = [stated, source, target];
    const shown = (await http.post<Many>('/api/memories/batch', { ids, detail: 'standard' })).body.data;
    expect(shown.map(({ facts }) => said(facts))).toEqual([['Ana likes tea'], [], []]);
    expect(shown).toMatchObject([
      { relationships: [], extractionStatus: 'completed' },
      { relationships: [{ direction: 'outgoing', targetMemoryId: target }], conflictCount: 1 },
      { relationships: [{ direction: 'incoming', targetMemoryId: source }] },
    ]);
    expect(shown[2]).not.toHaveProperty('conflictCount');
    for (const memory of shown) expect(await read(memory.id, 'standard')).toEqual(memory);
  });

  it('details of several memories are those of each', async () => {
    const [first, second] = [await write(sentence), await write('Docker runs on the build machine.')];
    const ids = [second, first];
    const batch = await http.post<Many>('/api/memories/batch', { ids, detail: 'standard' });
    expect(batch.body.data).toEqual([await read(second, 'standard'), await read(first, 'standard')]);
    const bare = await http.post<Many>('/api/memories/batch', { ids });
    expect(bare.body.data.every((memory) => !('entities' in memory))).toBe(true);
  });

  it('no topic is shown as derived that the client gave', async () => {
    const id = await write(sentence);
    const [topic] = (await read(id, 'standard')).extractedTopics ?? [];
    await http.put(`/api/memories/${id}`, { topics: [topic.toUpperCase()] });
    await deriveAll(app.services);
    const shown = await read(id, 'standard');
    expect(shown.userTopics).toEqual([topic.toUpperCase()]);
    expect(shown.extractedTopics).not.toContain(topic);
  });

  it('an edit shows what the text says now, and a search of an earlier time what it said then', async () => {
    const id = await write(sentence);
    const { updatedAt } = (await http.get<{ data: { updatedAt: string } }>(`/api/memories/${id}`)).body.data;
    await http.put(`/api/memories/${id}`, { content: 'Ana: I moved to Porto, and not to Lisbon.' });
    await deriveAll(app.services);
    const names = (memory?: DetailBody) => memory?.entities?.map(({ name }) => name);
    expect(names(await read(id, 'standard'))).toEqual(['Ana', 'Porto', 'Lisbon']);
    const all = { includeEntities: true, includeFacts: true, includeTopics: true };
    const [now] = await search(all);
    expect(names(now)).toEqual(['Ana', 'Porto', 'Lisbon']);
    const [then] = await search({ ...all, asOfTime: updatedAt });
    expect(names(then)).toEqual(['Ana', 'Lisbon', 'Nordlicht']);
    expect(said(then.facts)).toEqual(['Ana moved to Lisbon', 'Ana work for Nordlicht']);
  });

  it('results of a search have entities, facts and derived topics where they are asked for', async () => {
    await write(sentence, { topics: ['moving'] });
    const [bare] = await search({});
    for (const field of ['entities', 'facts', 'topics', 'extractedTopics'])
      expect(bare).not.toHaveProperty(field);
    const [hit] = await search({ includeEntities: true, includeFacts: true, includeTopics: true });
    expect(hit.entities?.map(({ name }) => name)).toEqual(['Ana', 'Lisbon', 'Nordlicht']);
    expect(said(hit.facts)).toEqual(['Ana moved to Lisbon', 'Ana work for Nordlicht']);
    expect(hit.topics).toEqual(['moving']);
    expect(hit.extractedTopics?.length).toBeGreaterThan(0);
    const path = '/api/memories/search?q=Lisbon&includeEntities=true&includeFacts=true&includeTopics=true';
    const [got] = (await http.get<Many>(path)).body.data;
    expect([got.entities, got.facts, got.extractedTopics]).toEqual([
      hit.entities,
      hit.facts,
      hit.extractedTopics,
    ]);
  });

  it('entityTypes says which entities are shown, and an unknown one is refused with those that there are', async () => {
    await write(sentence);
    const shown = async (entityTypes: readonly string[]) =>
      (await search({ includeEntities: true, entityTypes }))[0].entities?.map(({ name }) => name);
    expect(await shown(['LOCATION', 'PERSON'])).toEqual(['Ana', 'Lisbon']);
    expect(await shown([])).toEqual(['Ana', 'Lisbon', 'Nordlicht']);
    const refused = await http.post<{ error: string }>('/api/memories/search', {
      query: 'Lisbon',
      entityTypes: ['ANIMAL'],
    });
    expect(refused.status).toBe(422);
    expect(refused.body.error).toContain('API_ENDPOINT');
  });

  it('stats count what was derived from the memories that pass the filters', async () => {
    await write(sentence, { topics: ['moving'] });
    await write('Nordlicht uses Docker in Lisbon.');
    type Stats = { derived: Record<string, number> };
    const derived = async (query: string) =>
      (await http.get<Stats>(`/api/memories/stats${query}`)).body.derived;
    const all = { entities: 4, facts: 3, memoriesWithEntities: 2 };
    expect(await derived('')).toMatchObject(all);
    expect((await derived('')).topics).toBeGreaterThan(0);
    expect(await derived('?recent=1h')).toMatchObject(all);
    expect(await derived('?topic=moving')).toMatchObject({ entities: 3, facts: 2, memoriesWithEntities: 1 });
    const none = { entities: 0, facts: 0, topics: 0, memoriesWithEntities: 0 };
    expect(await derived('?before=2020-01-01')).toEqual(none);
    expect(await derived('?topic=unheard')).toEqual(none);
  });

  it('after all memories are deleted nothing derived is seen, and restored they bring all of it back, ids included', async () => {
    const ids = [
      await write(sentence, { topics: ['moving'] }),
      await write('Nordlicht uses Docker in Lisbon.'),
    ];
    const lists = [
      '/api/entities',
      '/api/facts',
      '/api/topics?sortBy=name&order=asc',
      '/api/entities/health',
    ];
    const all = async () =>
      Promise.all([
        ...lists.map(async (path) => (await http.get(path)).body),
        ...ids.map((id) => http.get(`/api/memories/${id}`).then(({ body }) => body)),
        http.post('/api/facts/search', { query: 'Lisbon' }).then(({ body }) => body),
      ]);
    const before = await all();
    await http.delete('/api/memories/bulk', { ids, confirmDeletion: true });
    const [entities, facts, , health] = await all();
    expect([entities.data, facts.data]).toEqual([[], []]);
    expect(health.data).toMatchObject({
      totalEntities: 0,
      totalFacts: 0,
      totalMemories: 0,
      memoriesWithEntities: 0,
    });
    const entries = await http.get<{ data: { id: string }[] }>('/api/trash');
    for (const { id } of entries.body.data) await http.post(`/api/trash/${id}/restore`);
    expect(await all()).toEqual(before);
  });
});
