import { describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import { deriveAll } from '../support/derive.ts';
import { useApp, useClient } from '../support/use-app.ts';

interface Explained {
  readonly data: {
    readonly explanation: string;
    readonly relationships: { readonly type: string }[];
    readonly path: { readonly sourceMemoryId: string; readonly targetMemoryId: string }[];
    readonly sharedEntities: { readonly name: string; readonly type: string }[];
    readonly sharedFacts: { readonly subject: string }[];
    readonly sharedTopics: string[];
  };
  readonly code: string;
  readonly error: string;
}

describe.each(engines)('explaining a relationship on %s', (engine) => {
  const app = useApp(engine);
  const http = useClient(app);

  const write = async (content: string, fields: object = {}) =>
    (await http.post<{ data: { id: string } }>('/api/memories', { content, ...fields })).body.data.id;
  const explain = (id: string, otherMemoryId: string, relationshipType = 'SUPERSEDES') =>
    http.post<Explained>(`/api/memories/${id}/explain-relationship`, { otherMemoryId, relationshipType });
  const relate = (from: string, to: string, type: string) =>
    http.post(`/api/memories/${from}/relationships`, { targetMemoryId: to, type });

  it('a relationship found in the texts is explained by its reason and the words of both', async () => {
    const earlier = await write('The gateway timeout defaults to 30 seconds.');
    const later = await write('The gateway timeout defaults to 90 seconds now.');
    await deriveAll(app.services);
    const { status, body } = await explain(later, earlier);
    expect(status).toBe(200);
    expect(body.data.explanation).toMatch(
      /^This memory supersedes the other memory \(since .*found in the texts/,
    );
    expect(body.data.explanation).toMatch(
      /"30 seconds" is replaced by "90 seconds".*earlier text has "30 seconds", the later "90 seconds"/,
    );
    expect(body.data.relationships).toMatchObject([{ type: 'SUPERSEDES', evidence: {} }]);
    expect((await explain(earlier, later)).body.data.explanation).toContain(
      'The other memory supersedes this memory',
    );
  });

  it('what two memories share is named: facts, entities, topics, time', async () => {
    const shared = { topics: ['Streaming'], conversationId: 'NEW' };
    const first = await write('Marek uses Kafka for the ledger.', {
      ...shared,
      eventTime: '2026-03-01T08:00:00Z',
    });
    const second = await write('Marek uses Kafka, as he said in Lisbon.', {
      ...shared,
      eventTime: '2026-03-04T08:00:00Z',
    });
    await deriveAll(app.services);
    const { data } = (await explain(first, second, 'RESOLVES')).body;
    expect(data.explanation).toContain('No RESOLVES relationship stands between the two memories.');
    expect(data.explanation).toContain('Both mention Marek (PERSON), Kafka (TECHNOLOGY).');
    expect(data.explanation).toContain('Streaming');
    expect(data.explanation).toContain('the other memory is 3 days later');
    expect(data.sharedEntities.map(({ name }) => name)).toEqual(['Marek', 'Kafka']);
    expect(data.explanation).not.toContain('Lisbon (LOCATION)');
  });

  it('memories that others connect are explained by the shortest way over them', async () => {
    const [a, b, c] = [await write('One thing.'), await write('Another.'), await write('A third.')];
    await relate(a, b, 'RESOLVES');
    await relate(c, b, 'REFERENCES');
    const { data } = (await explain(a, c)).body;
    expect(data.path).toMatchObject([
      { sourceMemoryId: a, targetMemoryId: b },
      { sourceMemoryId: c, targetMemoryId: b },
    ]);
    expect(data.explanation).toContain(
      `Over 2 relationships they are connected: this memory resolves ${b}, which is one that ${c} refers to.`,
    );
  });

  it('memories with nothing in common are said to have no relationship, and nothing is made up', async () => {
    const [a, b] = [
      await write('One thing.', { conversationId: 'NEW' }),
      await write('Another.', { conversationId: 'NEW' }),
    ];
    await deriveAll(app.services);
    const { data } = (await explain(a, b)).body;
    expect(data).toMatchObject({
      relationships: [],
      path: [],
      sharedEntities: [],
      sharedFacts: [],
      sharedTopics: [],
    });
    expect(data.explanation).toMatch(
      /^No SUPERSEDES relationship stands between the two memories\. They are of two conversations[^.]*\.$/,
    );
  });

  it('a relationship that was deleted is said to have been there', async () => {
    const [a, b] = [await write('One thing.'), await write('Another.')];
    const { body } = await http.post<{ data: { id: string } }>(`/api/memories/${a}/relationships`, {
      targetMemoryId: b,
      type: 'SUPERSEDES',
    });
    await http.delete(`/api/memories/${a}/relationships/${body.data.id}`);
    expect((await explain(a, b)).body.data.explanation).toMatch(/: the one of .* was deleted\./);
  });

  it('unknown types, the memory itself, and memories that are not there are refused', async () => {
    const [a, b] = [await write('One thing.'), await write('Another.')];
    const refused = await explain(a, b, 'LIKES');
    expect(refused.status).toBe(422);
    expect(refused.body.error).toContain('SUPERSEDES');
    expect(await explain(a, a)).toMatchObject({ status: 422 });
    for (const [from, to] of [
      [a, 'nobody'],
      ['nobody', b],
    ])
      expect(await explain(from, to)).toMatchObject({ status: 404, body: { code: 'MEMORY_NOT_FOUND' } });
    const other = await app.newClient();
    const { body } = await other.post<{ data: { id: string } }>('/api/memories', { content: 'Mine.' });
    expect((await explain(a, body.data.id)).status).toBe(404);
  });
});
