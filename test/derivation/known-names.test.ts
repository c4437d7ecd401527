import { beforeEach, describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import { deriveAll } from '../support/derive.ts';
import { useApp, useClient } from '../support/use-app.ts';

describe.each(engines)('known names on %s', (engine) => {
  const app = useApp(engine);
  const http = useClient(app);
  beforeEach(() => deriveAll(app.services));

  const write = async (content: string) =>
    (await http.post<{ data: { id: string } }>('/api/memories', { content })).body.data.id;
  const namesOf = async (id: string) => {
    const path = `/api/memories/${id}?detail=full`;
    const { data } = (await http.get<{ data: { entities?: { name: string; type: string }[] } }>(path)).body;
    return (data.entities ?? []).map(({ name, type }) => `${type} ${name}`);
  };

  it('a name that a text says the type of is known in the memories before and after it', async () => {
    const before = await write('the quellhorn rollout was late again.');
    await deriveAll(app.services);
    expect(await namesOf(before)).not.toContain('PROJECT Quellhorn');
    await write('The project Quellhorn starts in May.');
    await deriveAll(app.services);
    const after = await write('Quellhorn went well.');
    await deriveAll(app.services);
    expect(await namesOf(after)).toContain('PROJECT Quellhorn');
    expect(await namesOf(before)).toContain('PROJECT Quellhorn');
  });

  it('a name before a colon is a person once it speaks in two memories, in the first of them too', async () => {
    const first = await write('Thandiwe: The pool was empty again.');
    await deriveAll(app.services);
    expect(await namesOf(first)).toEqual([]);
    const second = await write('Thandiwe: It is full now.');
    await deriveAll(app.services);
    expect(await namesOf(second)).toContain('PERSON Thandiwe');
    expect(await namesOf(first)).toContain('PERSON Thandiwe');
  });

  it('names that become known one after another derive an earlier memory again once, after new memories of all users', async () => {
    const earlier = await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        write(`the quellwald, ostermoor and zephyrthal rollout ${i} was late.`),
      ),
    );
    await deriveAll(app.services);
    for (const repo of ['Quellwald', 'Ostermoor', 'Zephyrthal'])
      await http.post('/api/memories', { content: `About ${repo}.`, codeContext: { repo } });
    const { work, steps } = app.services;
    const [derive] = steps;
    const doNext = async () => {
      const items = await work.take(derive, { limit: 128, leaseMs: 60_000 });
      const results = await derive.run(items);
      const done = items.map((item, i) => ({ item, result: results[i] }));
      const docs = items.map(({ memory }) => memory.doc);
      await work.finish([derive], items[0].userId, docs, (tx) => derive.write(tx, done));
      return items.map(({ memory }) => memory.content);
    };
    expect(await doNext()).toEqual(['About Quellwald.', 'About Ostermoor.', 'About Zephyrthal.']);
    const other = await app.newClient();
    await other.post('/api/memories', { content: 'Of another user.' });
    expect(await doNext()).toEqual(['Of another user.']);
    expect((await doNext()).length).toBe(earlier.length);
    expect(await work.take(derive, { limit: 128, leaseMs: 60_000 })).toEqual([]);
    await deriveAll(app.services);
    expect((await namesOf(earlier[0])).toSorted()).toEqual([
      'PROJECT Ostermoor',
      'PROJECT Quellwald',
      'PROJECT Zephyrthal',
    ]);
  });

  it('a name that a person corrects is known in the memories before it', async () => {
    const before = await write('the ostermann rollout was late again.');
    const named = await write('Yesterday we met Ostermann in Berlin.');
    await deriveAll(app.services);
    type Entities = { data: { id: string; name: string; type: string }[] };
    const { data } = (await http.get<Entities>('/api/entities?limit=50')).body;
    const entity = data.find(({ name }) => name === 'Ostermann');
    if (!entity) throw new Error('no entity');
    expect(entity.type).not.toBe('PROJECT');
    await deriveAll(app.services);
    expect(await namesOf(before)).toEqual([]);
    const changed = await http.patch(`/api/entities/${entity.id}`, { type: 'PROJECT' });
    expect(changed.status).toBe(200);
    await deriveAll(app.services);
    expect(await namesOf(named)).toContain('PROJECT Ostermann');
    expect(await namesOf(before)).toContain('PROJECT Ostermann');

    await http.patch(`/api/entities/${entity.id}`, { name: 'Bridge' });
    const later = await write('the ostermann budget is spent.');
    await deriveAll(app.services);
    expect(await namesOf(later)).toContain('PROJECT Bridge');
  });

  it('the bare name of "Project X" is known in the memories before it', async () => {
    const before = await write('the zephyrine dashboard is slow.');
    await deriveAll(app.services);
    expect(await namesOf(before)).toEqual([]);
    await write('We deployed Project Zephyrine.');
    await deriveAll(app.services);
    expect(await namesOf(before)).toEqual(['PROJECT Project Zephyrine']);
  });

  it('a project that a person corrects is found by its bare name before and after', async () => {
    await write('Rosa: Project Halcyon starts in May.');
    const before = await write('Halcyon is late again.');
    await deriveAll(app.services);
    expect(await namesOf(before)).toEqual(['PROJECT Project Halcyon']);
    type Entities = { data: { id: string; name: string }[] };
    const { data } = (await http.get<Entities>('/api/entities?query=halcyon')).body;
    await http.patch(`/api/entities/${data[0].id}`, { name: 'Halcyon Programme', type: 'CONCEPT' });
    await deriveAll(app.services);
    const after = await write('halcyon went well.');
    await deriveAll(app.services);
    expect(await namesOf(before)).toEqual(['CONCEPT Halcyon Programme']);
    expect(await namesOf(after)).toEqual(['CONCEPT Halcyon Programme']);
    expect((await http.get<Entities>('/api/entities?query=halcyon')).body.data).toHaveLength(1);
  });

  it('a project that a person renamed is one entity, by the name of texts and by that of the person', async () => {
    await write('Rosa: Project Halcyon starts in May.');
    await deriveAll(app.services);
    type Entities = { data: { id: string; name: string }[] };
    const { data } = (await http.get<Entities>('/api/entities?query=halcyon')).body;
    await http.patch(`/api/entities/${data[0].id}`, { name: 'Ice Bird' });
    await deriveAll(app.services);
    const bare = await write('halcyon went well.');
    const given = await write('We discussed the budget of Ice Bird.');
    await deriveAll(app.services);
    expect(await namesOf(bare)).toEqual(['PROJECT Ice Bird']);
    expect(await namesOf(given)).toEqual(['PROJECT Ice Bird']);
    expect((await http.get<Entities>('/api/entities?type=PROJECT')).body.data).toHaveLength(1);
  });
});
