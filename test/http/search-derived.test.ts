import { beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import { deriveAll } from '../support/derive.ts';
import type { Client } from '../support/http-client.ts';
import { useApp } from '../support/use-app.ts';

interface Hit {
  readonly id: string;
  readonly content: string;
  readonly score: number;
  readonly matchedVia: readonly string[];
  readonly branchScores: Readonly<Record<string, number>>;
  readonly explanation?: { readonly matchReason: string; readonly contributingFactors: readonly string[] };
  readonly facts?: readonly {
    readonly subject: string;
    readonly predicate: string;
    readonly object: string;
  }[];
}
interface Found {
  readonly data: readonly Hit[];
  readonly meta: {
    readonly total: number;
    readonly factsWithoutMemory?: readonly { readonly object: string }[];
  };
  readonly facets?: { readonly topics: readonly { readonly value: string; readonly count: number }[] };
}

const flight = 'Marek: I flew to NYC last spring, and the hotel was cold.';
const office = 'Ana: The office in New York City has a new kitchen.';
const work = 'Ana: I work for Nordlicht and I live in Lisbon.';
const gym = 'The gym closes at ten.';
const kafka = 'Marek uses Kafka for the ledger.';

describe.each(engines)('searches over what was derived on %s', (engine) => {
  const app = useApp(engine);
  let http: Client;
  const ids = new Map<string, string>();
  const write = async (content: string, fields: object = {}) => {
    const { body } = await http.post<{ data: { id: string } }>('/api/memories', { content, ...fields });
    ids.set(content, body.data.id);
    return body.data.id;
  };
  beforeAll(async () => {
    http = await app.newClient();
    for (const content of [flight, office, work, gym]) await write(content);
    await write(kafka, { topics: ['event streaming'] });
    await deriveAll(app.services);
  });

  const post = async (query: string, fields: object = {}) => {
    const body = { query, searchMethod: 'keyword', context: false, explain: true, ...fields };
    const { body: found, status } = await http.post<Found>('/api/memories/search', body);
    expect(status).toBe(200);
    return found;
  };
  const get = async (query: string) =>
    (await http.get<Found>(`/api/memories/search?explain=true&context=false&searchMethod=keyword&${query}`))
      .body;
  const contents = ({ data }: Found) => data.map(({ content }) => content);
  const hitOf = ({ data }: Found, content: string) => data.find((hit) => hit.content === content);

  it('expandEntities finds memories that have another name of an entity which the query names', async () => {
    expect(contents(await post('New York City'))).not.toContain(flight);
    for (const found of [
      await post('New York City', { expandEntities: true }),
      await get('q=New%20York%20City&expandEntities=true'),
    ]) {
      const hit = hitOf(found, flight);
      expect(hit).toMatchObject({ matchedVia: ['entity'], branchScores: { entity: hit?.score } });
      expect(hit?.score).toBeGreaterThan(0);
      expect(hit?.explanation?.matchReason).toMatch(/^Mentions .+ \(LOCATION\)\.$/);
      expect(hit?.explanation?.contributingFactors).toContainEqual(
        expect.stringMatching(/^an entity that the query names \+0\.\d+$/),
      );
      expect(hitOf(found, office)?.matchedVia).toEqual(['fulltext', 'entity']);
    }
  });

  it('a weight multiplies what an expansion gives, and a weight of 0 switches it off', async () => {
    const given = async (entityWeight?: number) =>
      hitOf(await post('New York City', { expandEntities: true, entityWeight }), flight)?.score ?? 0;
    expect(await given(0.35)).toBeCloseTo((await given()) / 2, 5);
    expect(await given(0.7)).toBe(await given());
    const off = { expandEntities: true, expandTopics: true, expandFacts: true };
    const none = { entityWeight: 0, topicWeight: 0, factWeight: 0 };
    const plain = await post('New York City');
    for (const same of [{ ...off, ...none }, none, { ...off, mode: 'content' }]) {
      const { data, meta } = await post('New York City', same);
      expect([data, meta.total]).toEqual([plain.data, plain.meta.total]);
    }
  });

  it('expandTopics finds memories by topics that clients gave and by topics that were derived', async () => {
    const derived = await post('our event-streaming', { expandTopics: true });
    const hit = hitOf(derived, kafka);
    expect(hit?.matchedVia).toContain('topic');
    expect(hit?.branchScores.topic).toBeGreaterThan(0);
    expect(hit?.explanation?.contributingFactors).toContain('topic: event streaming');
  });

  it('expandFacts finds memories that state a fact with most words of the query, and says which', async () => {
    const found = await post('where does Ana work', { expandFacts: true, searchMethod: 'hybrid' });
    const hit = hitOf(found, work);
    expect(hit?.matchedVia).toContain('fact');
    expect(hit?.branchScores.fact).toBeGreaterThan(0);
    expect(hit?.explanation?.contributingFactors).toContainEqual(
      expect.stringContaining('fact: Ana work for Nordlicht'),
    );
  });

  it('mode=facts returns the memories that state matching facts, each with these', async () => {
    for (const found of [
      await post('Ana lives in Lisbon', { mode: 'facts', searchMethod: 'hybrid' }),
      await get('q=Ana%20lives%20in%20Lisbon&mode=facts'),
    ]) {
      const [first] = found.data;
      expect(first).toMatchObject({ content: work, matchedVia: ['fact'] });
      expect(first.branchScores).toEqual({ fact: first.score });
      expect(first.facts?.[0]).toMatchObject({ subject: 'Ana', object: 'Lisbon' });
      expect(contents(found)).not.toContain(gym);
      expect(found.meta.total).toBe(found.data.length);
    }
  });

  it('mode=facts says of each derived fact how its memory says it, and of no other', async () => {
    const user = await app.newClient();
    const made = async (content: string) =>
      (await user.post<{ data: { id: string } }>('/api/memories', { content })).body.data.id;
    await made('Marek does not use Kafka.');
    const later = await made('Marek will move to Oslo.');
    await deriveAll(app.services);
    const stated = { subject: 'Marek', predicate: 'speaks', object: 'Norwegian', sourceMemoryId: later };
    expect((await user.post('/api/facts', stated)).status).toBe(201);
    const best = async (query: string) => {
      const request = { query, mode: 'facts', searchMethod: 'keyword' };
      return (await user.post<Found>('/api/memories/search', request)).body.data[0].facts?.[0];
    };
    expect(await best('use Kafka')).toMatchObject({ confidenceBasis: 'direct-statement', negated: true });
    const planned = await best('move to Oslo');
    expect(planned).toMatchObject({ object: 'Oslo', confidenceBasis: 'planned' });
    expect(planned).not.toHaveProperty('negated');
    const byHand = await best('speaks Norwegian');
    expect(byHand).toMatchObject({ object: 'Norwegian' });
    for (const field of ['confidenceBasis', 'negated']) expect(byHand).not.toHaveProperty(field);
  });

  it('mode=facts names matching facts that no memory states in its meta, and no others', async () => {
    const user = await app.newClient();
    await user.post('/api/facts', { subject: 'Ola', predicate: 'speaks', object: 'Sami' });
    const request = { query: 'Ola speaks', mode: 'facts', searchMethod: 'keyword' };
    const { body } = await user.post<Found>('/api/memories/search', request);
    expect(body.data).toEqual([]);
    expect(body.meta.factsWithoutMemory).toMatchObject([{ object: 'Sami' }]);
    const other = await user.post<Found>('/api/memories/search', { ...request, query: 'kitchen' });
    expect(other.body.meta).not.toHaveProperty('factsWithoutMemory');
  });

  it('entityTypes alone adds the entities of these types to results', async () => {
    const body = { query: 'Nordlicht', searchMethod: 'keyword', entityTypes: ['LOCATION'] };
    const { data } = (await http.post<{ data: { entities?: object[] }[] }>('/api/memories/search', body))
      .body;
    expect(data[0].entities).toMatchObject([{ name: 'Lisbon', type: 'LOCATION' }]);
  });

  it('an explanation names no help by memories around a memory that is alone in its conversation', async () => {
    const user = await app.newClient();
    for (const content of ['The ledger uses Kafka now.', 'Lunch is at noon.', 'The ledger is slow.'])
      await user.post('/api/memories', { content, conversationId: 'NEW' });
    const body = { query: 'which ledger uses Kafka', explain: true };
    const { data } = (await user.post<Found>('/api/memories/search', body)).body;
    expect(data.length).toBeGreaterThan(1);
    for (const { explanation, score, branchScores } of data) {
      const said = [explanation?.matchReason, ...(explanation?.contributingFactors ?? [])].join('\n');
      expect(said).not.toMatch(/around it|conversation|question before/);
      const sum = Object.values(branchScores).reduce((total, part) => total + part, 0);
      expect(sum).toBeCloseTo(score, 5);
    }
  });

  it('mode=facts finds stated facts by the memory they were drawn from, and its filters and pages are those of memories', async () => {
    const user = await app.newClient();
    const made: string[] = [];
    // Texts of which none supersedes another.
    for (const [content, memoryType] of [
      ['Ola owns a boat.', 'episodic'],
      ['Yuki sold a boat to Marek.', 'semantic'],
      ['Oskar painted a boat in May.', 'semantic'],
    ])
      made.push(
        (
          await user.post<{ data: { id: string } }>('/api/memories', {
            content,
            memoryType,
          })
        ).body.data.id,
      );
    await deriveAll(app.services);
    const search = async (fields: object = {}) =>
      (await user.post<Found>('/api/memories/search', { query: 'boat', mode: 'facts', ...fields })).body;
    const whole = await search();
    expect(new Set(whole.data.map(({ id }) => id))).toEqual(new Set(made));
    const pages = [await search({ limit: 2 }), await search({ limit: 2, offset: 2 })];
    expect(pages.map(({ meta }) => meta.total)).toEqual([3, 3]);
    expect(pages.flatMap(({ data }) => data.map(({ id }) => id))).toEqual(whole.data.map(({ id }) => id));
    expect((await search({ memoryType: 'semantic' })).meta.total).toBe(2);
    await user.delete(`/api/memories/${made[0]}`);
    expect((await search()).data.map(({ id }) => id).sort()).toEqual(made.slice(1).sort());
    expect((await search({ threshold: 0, query: 'volcano' })).meta.total).toBe(2);
    expect(await search({ query: 'zzqq', searchMethod: 'keyword' })).toMatchObject({
      data: [],
      meta: { total: 0 },
    });
  });

  it('expansions and mode=facts as of a time see what memories said then', async () => {
    const user = await app.newClient();
    const { body } = await user.post<{ data: { id: string; createdAt: string } }>('/api/memories', {
      content: 'Jonas moved to NYC.',
    });
    const { id, createdAt: asOfTime } = body.data;
    await deriveAll(app.services);
    await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(asOfTime));
    await user.put(`/api/memories/${id}`, { content: 'Jonas moved to Oslo.' });
    await deriveAll(app.services);
    const found = async (fields: object) => {
      const answer = await user.post<Found>('/api/memories/search', { searchMethod: 'keyword', ...fields });
      return answer.body.data.map(({ content, matchedVia }) => [content, ...matchedVia]);
    };
    const entity = { query: 'NYC?', expandEntities: true, context: false };
    expect(await found(entity)).toEqual([]);
    expect(await found({ ...entity, asOfTime })).toEqual([['Jonas moved to NYC.', 'fulltext', 'entity']]);
    const fact = { query: 'moved to NYC', mode: 'facts' };
    expect(await found({ ...fact, asOfTime })).toEqual([['Jonas moved to NYC.', 'fact']]);
    expect(await found(fact)).toEqual([['Jonas moved to Oslo.', 'fact']]);
  });

  it('a memory in the trash is found by no expansion until it is restored', async () => {
    const user = await app.newClient();
    const { body } = await user.post<{ data: { id: string } }>('/api/memories', {
      content: 'We flew to NYC.',
    });
    await deriveAll(app.services);
    const found = async () => {
      const answer = await user.post<Found>('/api/memories/search', { query: 'NYC', expandEntities: true });
      return answer.body.data.filter(({ matchedVia }) => matchedVia.includes('entity')).length;
    };
    expect(await found()).toBe(1);
    await user.delete(`/api/memories/${body.data.id}`);
    expect(await found()).toBe(0);
    const trash = await user.get<{ data: { id: string }[] }>('/api/trash');
    await user.post(`/api/trash/${trash.body.data[0].id}/restore`, {});
    expect(await found()).toBe(1);
  });

  it('topics and excludeTopics see derived topics under all their names, as of a time too, and facets count both', async () => {
    const user = await app.newClient();
    const make = async (content: string, fields: object = {}) =>
      (await user.post<{ data: { id: string; createdAt: string } }>('/api/memories', { content, ...fields }))
        .body.data;
    const { id, createdAt: asOfTime } = await make('Brightwave moved the workshop date to Thursday.');
    await make('Lunch is at noon.', { topics: ['workshop date'] });
    await make('The dog barks.', { topics: ['pets'] });
    await deriveAll(app.services);
    const found = async (fields: object) => {
      const body = { query: 'workshop noon dog', searchMethod: 'keyword', includeFacets: true, ...fields };
      const answer = await user.post<Found>('/api/memories/search', body);
      const topics = answer.body.facets?.topics.map(({ value, count }) => `${value} ${count}`);
      return [contents(answer.body).sort(), topics];
    };
    const both = ['Brightwave moved the workshop date to Thursday.', 'Lunch is at noon.'];
    expect(await found({ topics: ['Workshop  Date'] })).toEqual([
      both,
      expect.arrayContaining(['workshop date 2']),
    ]);
    expect(await found({ excludeTopics: ['workshop date'] })).toEqual([['The dog barks.'], ['pets 1']]);
    const listed = await user.get<Found>('/api/memories/search?topics=workshop%20date');
    expect(contents(listed.body).sort()).toEqual(both);
    await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(asOfTime));
    await user.put(`/api/memories/${id}`, { content: 'Cancelled.' });
    await deriveAll(app.services);
    expect((await found({ topics: ['workshop date'] }))[0]).toEqual(['Lunch is at noon.']);
    expect((await found({ topics: ['workshop date'], asOfTime }))[0]).toEqual([both[0]]);
  });

  it('a question for a place, a person or a time lifts the memories that name one', async () => {
    const user = await app.newClient();
    const said = [
      'Ana: The conference was in Lisbon.',
      'Ana: The conference was loud and long.',
      'Ana: I met Jonas Weber at the conference.',
      'Ana: The conference starts on Tuesday.',
    ];
    for (const content of said) await user.post('/api/memories', { content });
    await deriveAll(app.services);
    const lifted = async (query: string) => {
      const answer = await user.post<Found>('/api/memories/search', { query, explain: true });
      return answer.body.data.flatMap(({ content, explanation, branchScores }) => {
        const [factor] =
          explanation?.contributingFactors.filter((each) => /as is asked for/.test(each)) ?? [];
        return factor ? [[content, factor, branchScores.answer]] : [];
      });
    };
    expect(await lifted('where was the conference')).toEqual([
      [said[0], 'a place in it, as is asked for +0.300', 0.3],
    ]);
    expect(await lifted('who was at the conference')).toEqual([
      [said[2], 'a person in it, as is asked for +0.300', 0.3],
    ]);
    expect(await lifted('when was the conference')).toEqual([
      [said[3], 'a time in it, as is asked for +0.150', 0.15],
    ]);
    expect(await lifted('where in Lisbon was the conference')).toEqual([]);
    expect(await lifted('the conference')).toEqual([]);
  });
});
