import { beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import type { Client } from '../support/http-client.ts';
import { useApp } from '../support/use-app.ts';

interface Memory {
  id: string;
  content: string;
  createdAt: string;
  effectiveState: string;
  conversationId: string;
  name?: string;
}
type One = { data: Memory };
type Many = { data: Memory[]; meta: { total: number } };

/** What a person does with their memories in a day, in order; each step stands on those before it. */
describe.each(engines)('a day with memoryd on %s', (engine) => {
  const app = useApp(engine);
  let http: Client;
  beforeAll(async () => {
    http = await app.newClient();
  });

  const note = async (content: string, more: object = {}) =>
    (await http.post<One>('/api/memories', { conversationId: 'NEW', content, ...more })).body.data;
  const get = async (id: string) => (await http.get<One>(`/api/memories/${id}`)).body.data;
  const find = async (query: string) => (await http.get<Many>(`/api/memories/search?${query}`)).body;
  const contents = (response: Many) => response.data.map(({ content }) => content);
  const ok = (status: number, reply: { status: number; text: string }) =>
    expect([reply.status, reply.text]).toEqual([status, reply.text]);

  it('an agent notes, corrects, supersedes, groups, undoes, looks back and erases in one day', async () => {
    // Morning: two notes about the launch.
    const plan = await note('The launch is on 3 June', { name: 'launch-plan', topics: ['launch'] });
    const venue = await note('The launch party is in the old harbour hall', { topics: ['launch', 'party'] });
    await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(venue.createdAt));

    // A slip is corrected; a new plan replaces the old one.
    ok(
      200,
      await http.put(`/api/memories/${venue.id}`, { content: 'The launch party is in the new harbour hall' }),
    );
    ok(201, await http.put('/api/memories/named/launch-plan', { content: 'The launch is on 10 June' }));
    const head = (await http.get<One>('/api/memories/named/launch-plan')).body.data;
    expect([head.content, (await get(plan.id)).effectiveState]).toEqual([
      'The launch is on 10 June',
      'superseded',
    ]);
    expect(
      contents(await find('q=when%20is%20the%20launch&searchMethod=keyword&topics=launch')),
    ).not.toContain('The launch is on 3 June');

    // Looking back: what was known in the morning.
    const morning = await find(`q=launch&topics=launch&asOfTime=${venue.createdAt}`);
    expect(contents(morning).sort()).toEqual([
      'The launch is on 3 June',
      'The launch party is in the old harbour hall',
    ]);
    const said = await find('q=10%20June&searchMethod=keyword&context=false&temporalMode=evolution');
    expect(contents(said)).toEqual(
      expect.arrayContaining(['The launch is on 3 June', 'The launch is on 10 June']),
    );
    expect(contents(said).at(-1)).toBe('The launch is on 10 June');

    // A rumour contradicts the venue; the rumour turns out to be wrong.
    const rumour = await note('Someone says the hall is closed in June');
    const edge = await http.post<{ data: { id: string } }>(`/api/memories/${rumour.id}/relationships`, {
      targetMemoryId: venue.id,
      type: 'CONTRADICTS',
    });
    ok(201, edge);
    expect((await get(venue.id)).effectiveState).toBe('contradicted');
    ok(204, await http.delete(`/api/memories/${rumour.id}/relationships/${edge.body.data.id}`));
    expect((await get(venue.id)).effectiveState).toBe('current');

    // Grouping: a thread of the launch, a fact of the hall, an artifact of it.
    const thread = await http.post<{ data: { id: string } }>('/api/narratives', {
      title: 'The launch',
      rootMemoryId: plan.id,
    });
    ok(201, thread);
    for (const id of [head.id, venue.id])
      ok(200, await http.post(`/api/narratives/${thread.body.data.id}/memories`, { memoryId: id }));
    const timeline = async () =>
      (
        await http.get<{ data: { memory: Memory }[] }>(`/api/narratives/${thread.body.data.id}/timeline`)
      ).body.data.map(({ memory }) => memory.content);
    const before = await timeline();
    expect(before).toEqual([
      'The launch is on 3 June',
      'The launch is on 10 June',
      'The launch party is in the new harbour hall',
    ]);
    const fact = { subject: 'harbour hall', predicate: 'holds', object: '200 people', memoryId: venue.id };
    ok(201, await http.post('/api/facts', fact));
    ok(
      201,
      await http.post('/api/artifacts', { content: 'guest list', type: 'document', memoryId: venue.id }),
    );

    // The venue is deleted by mistake, and comes back as it was.
    const responses = async () => ({
      thread: await timeline(),
      record: await get(venue.id),
      found: contents(await find('q=harbour&searchMethod=keyword&context=false')),
      facts: (await http.get<{ data: object[] }>('/api/facts')).body.data,
    });
    const whole = await responses();
    ok(204, await http.delete(`/api/memories/${venue.id}`));
    expect(await timeline()).toEqual(before.slice(0, 2));
    expect(contents(await find('q=harbour&searchMethod=keyword&context=false'))).toEqual([]);
    const trash = await http.get<{ data: { id: string }[] }>('/api/trash');
    expect(trash.body.data).toHaveLength(1);
    ok(200, await http.post(`/api/trash/${trash.body.data[0].id}/restore`));
    expect(await responses()).toEqual(whole);

    // Topics are put in order.
    ok(200, await http.post('/api/topics/merge', { sourceTopicId: 'party', targetTopicId: 'launch' }));
    expect((await find('topics=party&sortBy=createdAt')).meta.total).toBeGreaterThan(0);

    // Evening: everything is taken home.
    const exported = await http.post<Memory[]>('/api/memories/export', { topics: ['launch'] });
    expect(exported.body.map(({ content }) => content).sort()).toEqual(
      [
        'The launch is on 10 June',
        'The launch is on 3 June',
        'The launch party is in the new harbour hall',
      ].sort(),
    );
  });
});
