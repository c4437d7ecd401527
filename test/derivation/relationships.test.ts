import { describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import { deriveAll } from '../support/derive.ts';
import { useApp, useClient } from '../support/use-app.ts';

interface Edge {
  readonly id: string;
  readonly sourceMemoryId: string;
  readonly targetMemoryId: string;
  readonly type: string;
  readonly confidence: number;
  readonly creationMethod: string;
  readonly reason?: string;
  readonly evidence?: { readonly earlier: string; readonly later: string };
}

describe.each(engines)('relationships found in texts on %s', (engine) => {
  const app = useApp(engine);
  const http = useClient(app);

  const write = async (content: string, fields: object = {}) =>
    (await http.post<{ data: { id: string } }>('/api/memories', { content, ...fields })).body.data.id;
  const derive = () => deriveAll(app.services);
  const edgesOf = async (id: string) =>
    (await http.get<{ data: Edge[] }>(`/api/memories/${id}/relationships`)).body.data;
  const stateOf = async (id: string) =>
    (await http.get<{ data: { effectiveState: string } }>(`/api/memories/${id}`)).body.data.effectiveState;

  /** Two memories of which the later supersedes the earlier. */
  const writeChange = async () => {
    const earlier = await write('The gateway timeout defaults to 30 seconds.');
    const later = await write('The gateway timeout defaults to 90 seconds now.');
    await derive();
    return { earlier, later };
  };

  it('a later memory with another value supersedes the earlier one, and says by which words', async () => {
    const { earlier, later } = await writeChange();
    const [edge, ...others] = await edgesOf(later);
    expect(others).toEqual([]);
    expect(edge).toMatchObject({
      sourceMemoryId: later,
      targetMemoryId: earlier,
      type: 'SUPERSEDES',
      creationMethod: 'auto-semantic',
    });
    expect(edge.confidence).toBeGreaterThanOrEqual(0.8);
    expect(edge.reason).toBeTruthy();
    expect(edge.evidence?.earlier).toContain('30');
    expect(edge.evidence?.later).toContain('90');
    expect(await stateOf(earlier)).toBe('superseded');
    expect(await stateOf(later)).toBe('current');
  });

  it('the event time says which memory is the later one, not the order of writing', async () => {
    const later = await write('The gateway timeout defaults to 90 seconds now.', {
      eventTime: '2026-05-02T00:00:00Z',
    });
    const earlier = await write('The gateway timeout defaults to 30 seconds.', {
      eventTime: '2026-03-02T00:00:00Z',
    });
    await derive();
    expect(await edgesOf(earlier)).toMatchObject([{ sourceMemoryId: later, targetMemoryId: earlier }]);
    expect(await stateOf(earlier)).toBe('superseded');
  });

  it('a relationship that a person deleted does not come back, however often memories are compared', async () => {
    const { earlier, later } = await writeChange();
    const [{ id }] = await edgesOf(later);
    await http.delete(`/api/memories/${later}/relationships/${id}`);
    expect(await stateOf(earlier)).toBe('current');
    await http.put(`/api/memories/${later}`, { topics: ['gateway'] });
    await derive();
    await http.put(`/api/memories/${earlier}`, { topics: ['gateway'] });
    await derive();
    expect(await edgesOf(later)).toEqual([]);
    expect(await stateOf(earlier)).toBe('current');
  });

  it('a relationship goes when an edit of either memory takes its ground away, and returns with it', async () => {
    const { earlier, later } = await writeChange();
    await http.put(`/api/memories/${later}`, { content: 'Lunch was good today.' });
    await derive();
    expect(await edgesOf(earlier)).toEqual([]);
    expect(await stateOf(earlier)).toBe('current');
    await http.put(`/api/memories/${later}`, { content: 'The gateway timeout defaults to 90 seconds now.' });
    await derive();
    expect(await edgesOf(earlier)).toMatchObject([{ type: 'SUPERSEDES' }]);
    await http.put(`/api/memories/${earlier}`, { content: 'The kitchen has a new kettle.' });
    await derive();
    expect(await edgesOf(later)).toEqual([]);
    await http.put(`/api/memories/${earlier}`, { content: 'The gateway timeout defaults to 30 seconds.' });
    await derive();
    expect(await edgesOf(later)).toMatchObject([{ type: 'SUPERSEDES' }]);
    expect(await stateOf(earlier)).toBe('superseded');
  });

  it('relationships go to the trash with a memory and come back with the same ids', async () => {
    const { earlier, later } = await writeChange();
    const before = await edgesOf(earlier);
    await http.delete(`/api/memories/${later}`);
    expect(await edgesOf(earlier)).toEqual([]);
    expect(await stateOf(earlier)).toBe('current');
    await derive();
    const { body } = await http.get<{ data: { id: string }[] }>('/api/trash');
    await http.post(`/api/trash/${body.data[0].id}/restore`, {});
    expect(await edgesOf(earlier)).toEqual(before);
    await derive();
    expect((await edgesOf(earlier)).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
    expect(await stateOf(earlier)).toBe('superseded');
  });

  it('a memory that comes back from the trash is compared with what was written while it was there', async () => {
    const earlier = await write('The gateway timeout defaults to 30 seconds.');
    await derive();
    await http.delete(`/api/memories/${earlier}`);
    const later = await write('The gateway timeout defaults to 90 seconds now.');
    await derive();
    expect(await edgesOf(later)).toEqual([]);
    const { body } = await http.get<{ data: { id: string }[] }>('/api/trash');
    await http.post(`/api/trash/${body.data[0].id}/restore`, {});
    await derive();
    expect(await edgesOf(later)).toMatchObject([{ type: 'SUPERSEDES', targetMemoryId: earlier }]);
  });

  it('a relationship that a person stated is kept, and what is found between the two is a candidate', async () => {
    const earlier = await write('The gateway timeout defaults to 30 seconds.');
    const later = await write('The gateway timeout defaults to 90 seconds now.');
    await http.post(`/api/memories/${earlier}/relationships`, { targetMemoryId: later, type: 'FOLLOWS' });
    await derive();
    expect(await edgesOf(later)).toMatchObject([{ type: 'FOLLOWS', creationMethod: 'manual' }]);
    const { body } = await http.post(`/api/memories/${later}/detect-relationships`, {});
    expect(body).toMatchObject({
      data: [
        { type: 'FOLLOWS', status: 'active', direction: 'incoming' },
        { type: 'SUPERSEDES', status: 'candidate', direction: 'outgoing', targetMemoryId: earlier },
      ],
    });
  });

  it('a found supersession that would close a circle is a candidate, which cannot be made', async () => {
    const earlier = await write('The gateway timeout defaults to 30 seconds.');
    const between = await write('Nothing to do with it at all, but a person said so.');
    const later = await write('The gateway timeout defaults to 90 seconds now.');
    const supersede = (from: string, to: string) =>
      http.post(`/api/memories/${from}/relationships`, { targetMemoryId: to, type: 'SUPERSEDES' });
    await supersede(earlier, between);
    await supersede(between, later);
    await derive();
    const { body } = await http.post<{ data: { type: string; status: string; targetMemoryId: string }[] }>(
      `/api/memories/${later}/detect-relationships`,
      { autoCreate: true, minConfidence: 0 },
    );
    expect(body).toMatchObject({ autoCreated: false, created: [] });
    expect(body.data.find(({ targetMemoryId }) => targetMemoryId === earlier)).toMatchObject({
      type: 'SUPERSEDES',
      status: 'candidate',
    });
  });

  it('versions of a named memory supersede each other by their numbers alone', async () => {
    await write('The gateway timeout defaults to 30 seconds.', { name: 'timeout' });
    await http.put('/api/memories/named/timeout', {
      content: 'The gateway timeout defaults to 90 seconds now.',
    });
    await derive();
    const { body } = await http.get<{ data: { id: string } }>('/api/memories/named/timeout');
    expect((await edgesOf(body.data.id)).map(({ creationMethod }) => creationMethod)).toEqual([
      'auto-temporal',
    ]);
  });

  it('no relationship joins memories of two users', async () => {
    await write('The gateway timeout defaults to 30 seconds.');
    const other = await app.newClient();
    const { body } = await other.post<{ data: { id: string } }>('/api/memories', {
      content: 'The gateway timeout defaults to 90 seconds now.',
    });
    await derive();
    const { body: edges } = await other.get<{ data: Edge[] }>(`/api/memories/${body.data.id}/relationships`);
    expect(edges.data).toEqual([]);
  });

  it('texts that name the same ticket are related, whatever else they say', async () => {
    const first = await write('PAY-1432 was reported by a customer in Graz.');
    for (let i = 0; i < 20; i++) await write(`Meeting ${i} about lunch plans of the third floor.`);
    const second = await write('Release notes of June mention PAY-1432 among others.');
    await derive();
    expect(await edgesOf(second)).toMatchObject([{ type: 'REFERENCES', targetMemoryId: first }]);
  });

  it('many memories that say the like are a chain: at most one edge of a type points to each', async () => {
    const cities = ['Porto', 'Berlin', 'Madrid', 'Vienna', 'Oslo', 'Rome'];
    const texts = [
      (i: number) => `The gateway timeout defaults to ${30 + i} seconds.`,
      () => 'The nightly backup of the ledger database starts at two.',
      (i: number) => `The storefront ${i % 2 ? 'does not use' : 'uses'} Redis.`,
      (i: number) => `Ticket PAY-1432 was looked at by ${cities[i % cities.length]} support on day ${i}.`,
    ];
    const [moves] = await Promise.all(
      texts.map(async (text) => {
        const ids: string[] = [];
        for (let i = 0; i < 24; i++) ids.push(await write(text(i)));
        return ids;
      }),
    );
    await derive();
    const { body } = await http.get<{ data: { id: string }[] }>('/api/memories?limit=100');
    const edges = (await Promise.all(body.data.map(({ id }) => edgesOf(id)))).flat();
    const targets = new Map(edges.map((edge) => [edge.id, `${edge.type} ${edge.targetMemoryId}`]));
    expect(new Set(targets.values()).size).toBe(targets.size);
    expect(new Set(edges.map(({ type }) => type))).toEqual(
      new Set(['SUPERSEDES', 'DUPLICATES', 'CONTRADICTS', 'REFERENCES']),
    );
    const states = await Promise.all(moves.map(stateOf));
    expect(states).toEqual(moves.map((_, i) => (i < 23 ? 'superseded' : 'current')));
  });

  it('a memory whose successor goes is superseded by the one after that', async () => {
    const [first, second, third] = await writeMoves();
    expect(await edgesOf(first)).toMatchObject([{ sourceMemoryId: second }]);
    await http.delete(`/api/memories/${second}`);
    await derive();
    expect(await edgesOf(first)).toMatchObject([{ sourceMemoryId: third }]);
    expect(await stateOf(first)).toBe('superseded');
  });

  it('a memory that comes between two others takes the place of their edge', async () => {
    const at = (day: number) => ({ eventTime: `2026-05-0${day}T00:00:00Z` });
    const first = await write('Ana: I moved to Porto.', at(1));
    const third = await write('Ana: I moved to Rome.', at(3));
    await derive();
    const second = await write('Ana: I moved to Berlin.', at(2));
    await derive();
    expect(await edgesOf(first)).toMatchObject([{ sourceMemoryId: second }]);
    expect(await edgesOf(third)).toMatchObject([{ targetMemoryId: second }]);
  });

  it('a memory that a person took out of a chain is not superseded by a later one of the chain', async () => {
    const [first, second, third] = await writeMoves();
    const [{ id }] = await edgesOf(first);
    await http.delete(`/api/memories/${first}/relationships/${id}`);
    await http.put(`/api/memories/${third}`, { topics: ['again'] });
    await derive();
    expect(await stateOf(first)).toBe('current');
    expect(await edgesOf(third)).toMatchObject([{ targetMemoryId: second }]);
  });

  const writeMoves = async () => {
    const ids: string[] = [];
    for (const city of ['Porto', 'Berlin', 'Rome'])
      ids.push(await write(`Ana: I moved to ${city} with both my cats in spring.`));
    await derive();
    return ids;
  };
});
