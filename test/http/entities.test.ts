import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import { deriveAll } from '../support/derive.ts';
import { useApp, useClient } from '../support/use-app.ts';

interface EntityBody {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly aliases: readonly string[];
  readonly mentionCount: number;
  readonly mergedEntities: readonly {
    readonly id: string;
    readonly name: string;
    readonly mergedBy?: string;
  }[];
  readonly corrected: boolean;
  readonly confidence: number;
}
type List = { data: EntityBody[]; pagination: { count: number; limit: number; offset: number } };
type One = { data: EntityBody };

describe.each(engines)('entities on %s', (engine) => {
  const app = useApp(engine);
  const http = useClient(app);

  const write = async (content: string, fields: object = {}) => {
    const made = await http.post<{ data: { id: string } }>('/api/memories', { content, ...fields });
    await deriveAll(app.services);
    return made.body.data.id;
  };
  const list = async (query = '') => (await http.get<List>(`/api/entities${query}`)).body;
  const names = async (query = '') => (await list(query)).data.map(({ name }) => name);
  const named = async (name: string) => {
    const found = (await list()).data.find((entity) => entity.name === name);
    if (!found) throw new Error(`no entity is called ${name}`);
    return found;
  };
  const entries = async (kind: string) =>
    (await http.get<{ data: { id: string; recordId: string; title: string }[] }>(`/api/trash?kind=${kind}`))
      .body.data;

  it('entities are listed by the memories that mention them, most first', async () => {
    await write('We moved the ledger from MongoDB to PostgreSQL.');
    await write('PostgreSQL needs a vacuum every night.');
    await write('Docker runs on the build machine.');
    const all = await list();
    expect(all.data.slice(0, 3).map(({ name, mentionCount }) => [name, mentionCount])).toEqual([
      ['PostgreSQL', 2],
      ['Docker', 1],
      ['MongoDB', 1],
    ]);
    expect(all.pagination).toEqual({ limit: 20, offset: 0, count: all.data.length });
    const second = await list('?limit=1&offset=1');
    expect(second.data.map(({ name }) => name)).toEqual(['Docker']);
    expect(second.pagination).toMatchObject({ limit: 1, offset: 1, count: all.data.length });
    expect(await names('?query=GRES')).toEqual(['PostgreSQL']);
    expect(await names('?query=%25')).toEqual([]);
  });

  it('an entity has all fields of the specification and is read by its id', async () => {
    const first = await write('PostgreSQL needs a vacuum every night.');
    const last = await write('PostgreSQL 17 came out.');
    const { id } = await named('PostgreSQL');
    const { body, headers } = await http.get<One>(`/api/entities/${id}`);
    const memories = await Promise.all(
      [first, last].map((memory) => http.get<{ data: { createdAt: string } }>(`/api/memories/${memory}`)),
    );
    expect(body.data).toMatchObject({
      id,
      name: 'PostgreSQL',
      normalizedName: 'postgresql',
      type: 'TECHNOLOGY',
      aliases: [],
      mergedEntities: [],
      corrected: false,
      mentionCount: 2,
      firstSeenAt: memories[0].body.data.createdAt,
      lastSeenAt: memories[1].body.data.createdAt,
    });
    expect(body.data.confidence).toBeGreaterThan(0);
    expect(headers.get('etag')).toBeTruthy();
  });

  it('entities are listed of one type, and an unknown type is refused with those that there are', async () => {
    await write('Docker runs in Lisbon.');
    expect(await names('?type=LOCATION')).toEqual(['Lisbon']);
    expect(await names('?type=TECHNOLOGY')).toEqual(['Docker']);
    const refused = await http.get<{ error: string }>('/api/entities?type=ANIMAL');
    expect(refused.status).toBe(422);
    expect(refused.body.error).toContain('API_ENDPOINT');
  });

  it('entities are listed by name and by the times at which they were first and last written of', async () => {
    await write('Docker runs in Lisbon.');
    await write('Porto is warm.');
    await write('Docker was updated.');
    const docker = await named('Docker');
    await http.patch(`/api/entities/${docker.id}`, { name: 'The whale' });
    const byName = await names('?sortBy=name');
    expect(byName).toEqual(byName.toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)));
    expect(byName).toContain('The whale');
    expect(await names('?sortBy=name&order=desc')).toEqual(byName.toReversed());
    expect((await names('?sortBy=lastSeenAt'))[0]).toBe('The whale');
    expect((await names('?sortBy=firstSeenAt'))[0]).toBe('Porto');
    expect((await names('?sortBy=lastSeenAt&order=asc'))[0]).toBe('Lisbon');
    expect((await names('?order=asc')).at(-1)).toBe('The whale');
    expect((await http.get('/api/entities?sortBy=confidence')).status).toBe(422);
  });

  it('memories of an entity are the newest first, with how sure each mention is', async () => {
    const older = await write('Docker runs on the build machine.');
    const newer = await write('Docker was updated.');
    await write('Lisbon is warm.');
    const { id } = await named('Docker');
    type Page = { data: { memory: { id: string }; confidence: number }[]; pagination: { count: number } };
    const page = (await http.get<Page>(`/api/entities/${id}/memories`)).body;
    expect(page.data.map(({ memory }) => memory.id)).toEqual([newer, older]);
    expect(page.data.every(({ confidence }) => confidence > 0 && confidence <= 1)).toBe(true);
    expect(page.pagination).toEqual({ limit: 20, offset: 0, count: 2 });
    const rest = (await http.get<Page>(`/api/entities/${id}/memories?offset=1&limit=1`)).body;
    expect(rest.data.map(({ memory }) => memory.id)).toEqual([older]);
    const past = await http.get<Page>(`/api/entities/${id}/memories?offset=9`);
    expect([past.status, past.body.data, past.body.pagination.count]).toEqual([200, [], 2]);
  });

  it('memories are listed, counted and searched by what they mention and by the role of their speaker', async () => {
    const docker = await write('Docker runs in Lisbon.', { role: 'user' });
    const porto = await write('Porto is warm.', { role: 'assistant' });
    await write('Nothing of note.');
    const { id } = await named('Docker');
    type Found = { data: { id: string }[]; filtersApplied?: object; count?: number };
    const ids = async (path: string, client = http) =>
      (await client.get<Found>(path)).body.data.map((memory) => memory.id);
    expect(await ids(`/api/memories?entityId=${id}`)).toEqual([docker]);
    expect(await ids('/api/memories?role=assistant')).toEqual([porto]);
    expect(await ids(`/api/memories?role=assistant&entityId=${id}`)).toEqual([]);
    expect(await ids(`/api/memories/search?entityId=${id}`)).toEqual([docker]);
    expect(
      await ids(`/api/memories/search?q=warm&searchMethod=keyword&context=false&entityId=${id}`),
    ).toEqual([]);
    const applied = (await http.get<Found>(`/api/memories?role=user&entityId=${id}`)).body.filtersApplied;
    expect(applied).toEqual({ role: 'user', entityId: id });
    const bars = await http.get<Found>(`/api/memories/histogram?entityId=${id}`);
    expect(bars.body.count).toBe(1);
    const target = await named('Porto');
    type Facets = { facets: Record<string, { value: string; label?: string; count: number }[]> };
    const counted = await http.get<Facets>('/api/memories/search?role=user&includeFacets=true');
    expect(counted.body.facets.role).toEqual([{ value: 'user', count: 1 }]);
    expect(counted.body.facets.entityId).toContainEqual({ value: id, label: 'Docker', count: 1 });
    expect(counted.body.facets.conversationId).toEqual([
      { value: expect.any(String), label: expect.any(String), count: 1 },
    ]);
    await http.post('/api/entities/merge', { sourceEntityId: id, targetEntityId: target.id });
    for (const either of [id, target.id])
      expect(await ids(`/api/memories?order=asc&entityId=${either}`)).toEqual([docker, porto]);
    const other = await app.newClient();
    expect(await ids(`/api/memories?entityId=${id}`, other)).toEqual([]);
    expect(await ids(`/api/memories?entityId=${randomUUID()}`)).toEqual([]);
    const { body } = await http.get<{ explained: { filters: object[] } }>(
      `/api/memories/search?q=warm&searchMethod=keyword&role=user&entityId=${randomUUID()}&explainId=${porto}`,
    );
    expect(body.explained.filters).toEqual([
      { filter: 'entityId', reason: 'it does not mention that entity' },
      { filter: 'role', reason: 'its role is assistant' },
    ]);
  });

  it('entities of another user are unknown ones, to the byte', async () => {
    await write('Docker runs in Lisbon.');
    const [docker, lisbon] = [await named('Docker'), await named('Lisbon')];
    const other = await app.newClient();
    const unknown = randomUUID();
    const body = (text: string) => text.replace(/"requestId":"[^"]*"/, '');
    const calls = (id: string, second: string) => [
      other.get(`/api/entities/${id}`),
      other.get(`/api/entities/${id}/memories`),
      other.patch(`/api/entities/${id}`, { name: 'Mine' }),
      other.delete(`/api/entities/${id}`),
      other.post('/api/entities/merge', { sourceEntityId: id, targetEntityId: second }),
      other.post('/api/entities/unmerge', { entityId: id }),
    ];
    const [foreign, none] = [
      await Promise.all(calls(docker.id, lisbon.id)),
      await Promise.all(calls(unknown, randomUUID())),
    ];
    expect(foreign.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404]);
    expect(foreign.map(({ text }) => body(text))).toEqual(none.map(({ text }) => body(text)));
    expect((await other.get<List>('/api/entities')).body.data).toEqual([]);
    expect((await list()).pagination.count).toBe(2);
  });

  it('health counts what was derived, and what only the trash holds not', async () => {
    const empty = await http.get<{ data: object }>('/api/entities/health');
    expect(empty.body.data).toMatchObject({ totalMemories: 0, totalEntities: 0, entityCoverage: 0 });
    const id = await write('Docker runs in Lisbon.', { topics: ['machines'] });
    await write('ok');
    const health = async () =>
      (await http.get<{ data: Record<string, number> }>('/api/entities/health')).body.data;
    expect(await health()).toMatchObject({
      totalMemories: 2,
      totalEntities: 2,
      memoriesWithEntities: 1,
      entityCoverage: 0.5,
    });
    expect((await health()).totalTopics).toBeGreaterThanOrEqual(1);
    await http.delete(`/api/memories/${id}`);
    expect(await health()).toMatchObject({
      totalMemories: 1,
      totalEntities: 0,
      totalFacts: 0,
      entityCoverage: 0,
    });
  });

  it('an entity goes with the last memory that mentions it, and comes back with the same id', async () => {
    const memory = await write('Docker runs on the build machine.');
    const before = (await http.get(`/api/entities/${(await named('Docker')).id}`)).body;
    await http.delete(`/api/memories/${memory}`);
    expect(await names()).toEqual([]);
    const [entry] = await entries('memory');
    await http.post(`/api/trash/${entry.id}/restore`);
    expect((await http.get(`/api/entities/${(await named('Docker')).id}`)).body).toEqual(before);
  });

  it('what a person wrote about an entity stays, whatever is derived later', async () => {
    const memory = await write('Docker runs on the build machine.');
    const { id } = await named('Docker');
    const { headers } = await http.get(`/api/entities/${id}`);
    const etag = headers.get('etag') ?? '';
    const change = { name: ' Harbour crane ', type: 'PROJECT' };
    const changed = await http.patch<One>(`/api/entities/${id}`, change, { 'if-match': etag });
    expect(changed.body.data).toMatchObject({
      id,
      name: 'Harbour crane',
      type: 'PROJECT',
      foundType: 'TECHNOLOGY',
      aliases: ['Docker'],
      corrected: true,
      confidence: 1,
    });
    expect((await http.patch(`/api/entities/${id}`, { name: 'x' }, { 'if-match': etag })).status).toBe(412);
    await http.put(`/api/memories/${memory}`, { content: 'Docker runs on two build machines.' });
    await write('Docker was updated.');
    expect(await list()).toMatchObject({
      data: [{ id, name: 'Harbour crane', type: 'PROJECT', mentionCount: 2 }],
    });
    const undone = await http.patch<One>(`/api/entities/${id}`, { name: '', type: 'TECHNOLOGY' });
    expect(undone.body.data).toMatchObject({
      name: 'Docker',
      type: 'TECHNOLOGY',
      aliases: [],
      corrected: false,
    });
  });

  it('corrections that break a rule are refused', async () => {
    await write('Docker runs on the build machine.');
    const { id } = await named('Docker');
    const refused = async (body: object) =>
      (await http.patch<{ error: string }>(`/api/entities/${id}`, body)).body.error;
    expect(await refused({ name: '   ' })).toBe('name must not be blank');
    expect(await refused({ name: 'x'.repeat(201) })).toContain('name');
    expect(await refused({ type: 'ANIMAL' })).toContain('PERSON');
    expect((await http.patch<One>(`/api/entities/${id}`, {})).body.data).toMatchObject({ corrected: false });
  });

  it('a merged entity is shown as a part of the other, under either id, until it is taken out', async () => {
    await write('Docker runs on the build machine.');
    await write('Kubernetes runs in Lisbon.');
    const [docker, kubernetes] = [await named('Docker'), await named('Kubernetes')];
    const body = { sourceEntityId: docker.id, targetEntityId: kubernetes.id };
    const key = { 'idempotency-key': randomUUID() };
    const merged = await http.post<One>('/api/entities/merge', body, key);
    expect(merged.body.data).toMatchObject({
      id: kubernetes.id,
      name: 'Kubernetes',
      aliases: ['Docker'],
      mentionCount: 2,
      mergedEntities: [{ id: docker.id, name: 'Docker', type: 'TECHNOLOGY', mergedBy: 'person' }],
    });
    expect((await http.post('/api/entities/merge', body, key)).text).toBe(merged.text);
    expect((await http.get(`/api/entities/${docker.id}`)).body).toEqual(merged.body);
    expect(await names('?query=docker')).toEqual(['Kubernetes']);
    const again = await http.post<{ error: string }>('/api/entities/merge', body);
    expect([again.status, again.body.error]).toEqual([
      422,
      'targetEntityId must name another entity than sourceEntityId',
    ]);
    const taken = await http.post<One>('/api/entities/unmerge', { entityId: docker.id });
    expect(taken.body.data).toMatchObject({ id: docker.id, mentionCount: 1, mergedEntities: [] });
    expect((await named('Kubernetes')).mergedEntities).toEqual([]);
    expect(await entries('entity-merge')).toEqual([]);
    expect((await http.post('/api/entities/unmerge', { entityId: docker.id })).status).toBe(422);
  });

  it('merges are undone from the trash, in any order', async () => {
    await write('Docker, Kubernetes and Podman run containers.');
    const [docker, kubernetes, podman] = [
      await named('Docker'),
      await named('Kubernetes'),
      await named('Podman'),
    ];
    const merge = (source: EntityBody, target: EntityBody) =>
      http.post('/api/entities/merge', { sourceEntityId: source.id, targetEntityId: target.id });
    const undo = async (source: EntityBody) => {
      const entry = (await entries('entity-merge')).find(({ recordId }) => recordId === source.id);
      expect((await http.post(`/api/trash/${entry?.id}/restore`)).status).toBe(200);
    };
    await merge(docker, kubernetes);
    await merge(kubernetes, podman);
    expect((await named('Podman')).mergedEntities.map(({ name }) => name)).toEqual(['Docker', 'Kubernetes']);
    expect((await entries('entity-merge')).map(({ title }) => title)).toEqual([
      'Kubernetes merged into Podman',
      'Docker merged into Kubernetes',
    ]);
    await undo(docker);
    expect((await named('Docker')).mergedEntities).toEqual([]);
    await merge(docker, podman);
    await undo(kubernetes);
    expect((await named('Kubernetes')).mergedEntities).toEqual([]);
    expect((await named('Podman')).mergedEntities.map(({ name }) => name)).toEqual(['Docker']);
    await undo(docker);
    await merge(docker, kubernetes);
    await merge(kubernetes, podman);
    await undo(kubernetes);
    expect((await named('Kubernetes')).mergedEntities.map(({ name }) => name)).toEqual(['Docker']);
    expect(await names()).toEqual(['Kubernetes', 'Podman']);
  });

  it('a deleted entity stays away, whatever mentions it later, until it is restored', async () => {
    const memory = await write('Docker runs in Lisbon.');
    const { id } = await named('Docker');
    expect((await http.delete(`/api/entities/${id}`)).status).toBe(204);
    await write('Docker was updated.');
    await http.put(`/api/memories/${memory}`, { content: 'Docker runs in Lisbon and Porto.' });
    await deriveAll(app.services);
    expect(await names('?type=TECHNOLOGY')).toEqual([]);
    expect((await http.get(`/api/entities/${id}`)).status).toBe(404);
    const shown = await http.get<{ data: { entities: { name: string }[] } }>(`/api/memories/${memory}`);
    expect(shown.body.data.entities.map(({ name }) => name)).not.toContain('Docker');
    const [entry] = await entries('entity');
    expect(entry).toMatchObject({ recordId: id, title: 'Docker' });
    await http.post(`/api/trash/${entry.id}/restore`);
    expect(await named('Docker')).toMatchObject({ id, mentionCount: 2 });
  });

  it('an entity that was erased from the trash stays away', async () => {
    await write('Docker runs on the build machine.');
    const { id } = await named('Docker');
    await http.patch(`/api/entities/${id}`, { name: 'A name of mine' });
    await http.delete(`/api/entities/${id}`);
    const [entry] = await entries('entity');
    expect((await http.delete(`/api/trash/${entry.id}`)).status).toBe(204);
    await write('Docker was updated.');
    expect(await names()).toEqual([]);
    expect((await http.get(`/api/entities/${id}`)).status).toBe(404);
  });

  it('names of an erased entity are left nowhere in the trash, and what was merged into it stands alone', async () => {
    await write('Docker runs on the build machine.');
    const memory = await write('Kubernetes runs in Lisbon.');
    const [docker, kubernetes, lisbon] = [
      await named('Docker'),
      await named('Kubernetes'),
      await named('Lisbon'),
    ];
    await http.post('/api/entities/merge', { sourceEntityId: docker.id, targetEntityId: kubernetes.id });
    await http.delete(`/api/entities/${lisbon.id}`);
    await http.delete(`/api/memories/${memory}`);
    const [entry] = await entries('memory');
    await http.delete(`/api/trash/${entry.id}`);
    expect((await http.get('/api/trash')).text).not.toMatch(/Kubernetes|Lisbon/);
    expect(await list()).toMatchObject({ data: [{ id: docker.id, name: 'Docker', mergedEntities: [] }] });
  });
});
