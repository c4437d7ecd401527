import { describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import { deriveAll } from '../support/derive.ts';
import { useApp } from '../support/use-app.ts';

type Trash = { data: { id: string; kind: string; title: string }[] };

describe.each(engines)('a merge of topics in the trash on %s', (engine) => {
  const app = useApp(engine);

  it('a merge of topics in the trash is listed, and restoring it gives every memory its topics again', async () => {
    const http = await app.newClient();
    for (const topics of [['ops'], ['operations'], ['ops', 'operations', 'x']])
      await http.post('/api/memories', { content: 'a note', topics });
    const seen = async () => ({
      topics: (await http.get<{ data: { name: string; count: number }[] }>('/api/topics')).body.data.map(
        ({ name, count }) => [name, count],
      ),
      memories: (await http.get<{ data: { topics: string[] }[] }>('/api/memories')).body.data.map(
        ({ topics }) => topics,
      ),
    });
    const before = await seen();
    const merged = await http.post('/api/topics/merge', {
      sourceTopicId: 'ops',
      targetTopicId: 'operations',
    });
    expect(merged.status).toBe(200);
    expect((await seen()).memories.flat()).not.toContain('ops');
    const named = async (part: string, client = http) =>
      (await client.get<{ data: { name: string }[] }>(`/api/topics?query=${part}`)).body.data.map(
        ({ name }) => name,
      );
    expect(await named('OPS')).toEqual(['operations']);
    expect(await named('%25')).toEqual([]);
    expect(await named('')).toEqual(['operations', 'x']);
    expect(await named('ops', await app.newClient())).toEqual([]);

    const trash = (await http.get<Trash>('/api/trash')).body.data;
    expect(trash).toMatchObject([{ kind: 'topic-merge', title: 'ops merged into operations' }]);
    const other = await app.newClient();
    expect((await other.post(`/api/trash/${trash[0].id}/restore`)).status).toBe(404);
    expect((await http.post(`/api/trash/${trash[0].id}/restore`)).status).toBe(200);
    expect(await seen()).toEqual(before);
    expect((await http.get<Trash>('/api/trash')).body.data).toEqual([]);
    expect((await http.post(`/api/trash/${trash[0].id}/restore`)).status).toBe(404);
  });

  it('a merge of topics is permanent once it is erased from the trash', async () => {
    const http = await app.newClient();
    for (const topics of [['ops'], ['operations']])
      await http.post('/api/memories', { content: 'a note', topics });
    await http.post('/api/topics/merge', { sourceTopicId: 'ops', targetTopicId: 'operations' });
    const [entry] = (await http.get<Trash>('/api/trash')).body.data;
    expect((await http.delete(`/api/trash/${entry.id}`)).status).toBe(204);
    const { body } = await http.get<{ data: { topics: string[] }[] }>('/api/memories?topics=ops');
    expect(body.data.map(({ topics }) => topics)).toEqual([['operations'], ['operations']]);
  });

  it('a renamed topic keeps its memories and its former name as an alias, until the rename is undone', async () => {
    const [http, other] = [await app.newClient(), await app.newClient()];
    for (const topics of [['deploys', 'x'], ['release']])
      await http.post('/api/memories', { content: 'a note', topics });
    const rename = (id: string, name: string, client = http) =>
      client.patch<{ data: { id: string; name: string }; error: string }>(`/api/topics/${id}`, { name });
    expect((await rename('deploys', 'deployments', other)).status).toBe(404);
    const renamed = await rename('deploys', ' Deployments ');
    expect(renamed.status).toBe(200);
    expect(renamed.body.data).toMatchObject({ name: 'Deployments', memoryCount: 1 });
    const memories = async (topic: string) =>
      (await http.get<{ data: { topics: string[] }[] }>(`/api/memories?topics=${topic}`)).body.data;
    expect((await memories('deploys')).map(({ topics }) => topics)).toEqual([['Deployments', 'x']]);
    for (const name of ['deploys', 'DEPLOYMENTS', 'release', '  '])
      expect(await rename('deploys', name)).toMatchObject({
        status: 422,
        body: { error: expect.stringMatching(/^name must /) },
      });

    const [entry] = (await http.get<Trash>('/api/trash')).body.data;
    expect(entry).toMatchObject({ kind: 'topic-merge', title: 'deploys renamed to Deployments' });
    expect((await http.post(`/api/trash/${entry.id}/restore`)).status).toBe(200);
    expect((await memories('deploys')).map(({ topics }) => topics)).toEqual([['deploys', 'x']]);
    expect((await http.get('/api/topics/Deployments')).status).toBe(404);
  });

  it('a topic that was only derived is renamed, and later memories are derived to the new name', async () => {
    const http = await app.newClient();
    const say = (content: string) => http.post('/api/memories', { content });
    await say('The Kubernetes cluster moved to new nodes. Kubernetes runs everything.');
    await say('Kubernetes upgrades need a maintenance window. Kubernetes is strict.');
    await deriveAll(app.services);
    const derived = async () =>
      (await http.get<{ data: { name: string; derived: boolean }[] }>('/api/topics')).body.data;
    const [topic] = await derived();
    expect(topic.derived).toBe(true);
    const { status, body } = await http.patch(`/api/topics/${encodeURIComponent(topic.name)}`, {
      name: 'orchestration',
    });
    expect(status, JSON.stringify(body)).toBe(200);
    await say('Kubernetes broke again. Kubernetes pods restart.');
    await deriveAll(app.services);
    const names = (await derived()).map(({ name }) => name);
    expect(names).toContain('orchestration');
    expect(names).not.toContain(topic.name);
  });
});
