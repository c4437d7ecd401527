import { beforeEach, describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import type { Client } from '../support/http-client.ts';
import { useApp } from '../support/use-app.ts';

type Named = { id: string; name: string };
type Community = Named & { description: string; topicCount: number; algorithm: string; updatedAt: string };
type One = { data: Community & { topics: Named[] } };
type Detection = {
  data: { communities: Community[]; communityCount: number; leftOut: { topics: number } };
  error: string;
};
type List = { data: Community[]; pagination: { limit: number; offset: number; count: number } };

const kitchen = ['bread', 'yeast', 'oven', 'flour'];
const network = ['dns', 'router', 'vlan'];

describe.each(engines)('communities of topics on %s', (engine) => {
  const app = useApp(engine);
  let http: Client;

  beforeEach(async () => {
    http = await app.newClient();
  });

  const write = async (topics: readonly string[]): Promise<string> => {
    const made = await http.post<{ data: Named }>('/api/memories', { content: 'A memory.', topics });
    expect(made.status).toBe(201);
    return made.body.data.id;
  };
  /** Every pair of each group on a memory of its own. */
  const writeGroups = async (...groups: readonly (readonly string[])[]) => {
    for (const group of groups)
      for (const [i, topic] of group.entries())
        for (const other of group.slice(i + 1)) await write([topic, other]);
  };
  const detect = (body: object = {}) => http.post<Detection>('/api/topics/detect-communities', body);
  const list = async (query = '') => (await http.get<List>(`/api/topics/communities${query}`)).body;
  const get = (id: string) => http.get<One>(`/api/topics/communities/${id}`);
  const merge = (sourceCommunityId: string, targetCommunityId: string) =>
    http.post<One & { code: string; error: string }>('/api/topics/communities/merge', {
      sourceCommunityId,
      targetCommunityId,
    });
  const topicsOf = async (id: string) => (await get(id)).body.data.topics.map(({ name }) => name).sort();
  const communityWith = async (topic: string): Promise<string> => {
    for (const { id } of (await list()).data) if ((await topicsOf(id)).includes(topic)) return id;
    throw new Error(`no community has ${topic}`);
  };

  it.each(['louvain', 'label-propagation'])(
    'a detection by %s finds the topics that are on the same memories, and stores them',
    async (algorithm) => {
      await writeGroups(kitchen, network);
      await write(['bread', 'dns']);
      await write(['alone']);
      const { status, body } = await detect({ algorithm });
      expect(status).toBe(200);
      expect(body.data).toMatchObject({ communityCount: 2, algorithm, leftOut: { topics: 0, edges: 0 } });
      expect(body.data.communities.map(({ topicCount }) => topicCount)).toEqual([4, 3]);
      expect(await list()).toEqual({
        data: body.data.communities,
        pagination: { limit: 20, offset: 0, count: 2 },
      });
      const [first, second] = body.data.communities;
      expect(await topicsOf(first.id)).toEqual([...kitchen].sort());
      expect(await topicsOf(second.id)).toEqual([...network].sort());
      expect(first.name.split(', ').every((name) => kitchen.includes(name))).toBe(true);
      expect(first.description).toMatch(/^4 topics often on the same memories: /);
      expect((await detect({ algorithm })).body).toEqual(body);
    },
  );

  it('a community keeps its id when a later detection finds it grown or by another algorithm', async () => {
    await writeGroups(kitchen, network);
    await detect();
    const [kitchenId, networkId] = [await communityWith('bread'), await communityWith('dns')];
    for (const topic of kitchen) await write([topic, 'butter']);
    await detect({ algorithm: 'label-propagation' });
    expect(await topicsOf(kitchenId)).toEqual([...kitchen, 'butter'].sort());
    expect(await topicsOf(networkId)).toEqual([...network].sort());
  });

  it('communities are listed in pages', async () => {
    await writeGroups(kitchen, network);
    await detect();
    const second = await list('?limit=1&offset=1');
    expect(second.pagination).toEqual({ limit: 1, offset: 1, count: 2 });
    expect(second.data.map(({ topicCount }) => topicCount)).toEqual([3]);
    expect((await list('?offset=9')).data).toEqual([]);
  });

  it('an algorithm that is unknown is refused with the names of those there are', async () => {
    const { status, body } = await detect({ algorithm: 'kmeans' });
    expect(status).toBe(422);
    expect(body.error).toMatch(/algorithm.*louvain.*label-propagation/);
  });

  it('a merge of communities is remembered over a new detection and undone from the trash', async () => {
    await writeGroups(kitchen, network);
    await detect();
    const [kitchenId, networkId] = [await communityWith('bread'), await communityWith('dns')];
    const merged = await merge(networkId, kitchenId);
    expect(merged.status).toBe(200);
    expect(merged.body.data).toMatchObject({ id: kitchenId, topicCount: 7 });
    expect((await get(networkId)).body.data.id).toBe(kitchenId);
    expect((await detect()).body.data.communityCount).toBe(1);
    expect(await topicsOf(kitchenId)).toEqual([...kitchen, ...network].sort());
    const trash = await http.get<{ data: (Named & { kind: string; title: string })[] }>('/api/trash');
    const [entry] = trash.body.data;
    expect(entry).toMatchObject({ kind: 'community-merge', recordId: networkId, counts: { topics: 3 } });
    expect((await http.post(`/api/trash/${entry.id}/restore`, {})).status).toBe(200);
    expect(await topicsOf(networkId)).toEqual([...network].sort());
    expect(await topicsOf(kitchenId)).toEqual([...kitchen].sort());
    expect((await detect()).body.data.communityCount).toBe(2);
  });

  it('a merge is remembered when one detection finds both as one and the next finds them apart', async () => {
    await writeGroups(kitchen, network);
    await detect();
    const [kitchenId, networkId] = [await communityWith('bread'), await communityWith('dns')];
    await merge(networkId, kitchenId);
    const bridges: string[] = [];
    for (const a of kitchen) for (const b of network) bridges.push(await write([a, b]), await write([a, b]));
    await detect();
    expect((await list()).pagination.count).toBe(1);
    for (const id of bridges) await http.delete(`/api/memories/${id}`);
    expect((await detect()).body.data.communityCount).toBe(1);
    expect(await topicsOf(kitchenId)).toEqual([...kitchen, ...network].sort());
  });

  it('a community is not merged into itself, nor with one that is not there', async () => {
    await writeGroups(kitchen, network);
    await detect();
    const [kitchenId, networkId] = [await communityWith('bread'), await communityWith('dns')];
    const itself = await merge(kitchenId, kitchenId);
    expect([itself.status, itself.body.error]).toEqual([422, expect.stringMatching(/targetCommunityId/)]);
    await merge(kitchenId, networkId);
    expect((await merge(networkId, kitchenId)).status).toBe(422);
    expect(await merge('nothing', networkId)).toMatchObject({
      status: 404,
      body: { code: 'COMMUNITY_NOT_FOUND' },
    });
    expect((await get('nothing')).status).toBe(404);
  });

  it('a merge with an idempotency key is made once', async () => {
    await writeGroups(kitchen, network);
    await detect();
    const body = {
      sourceCommunityId: await communityWith('dns'),
      targetCommunityId: await communityWith('bread'),
    };
    const send = () =>
      http.send('POST', '/api/topics/communities/merge', { body, headers: { 'idempotency-key': 'once' } });
    const first = await send();
    expect(first.status).toBe(200);
    expect(await send()).toMatchObject({ status: 200, body: first.body });
    expect((await http.get<{ data: object[] }>('/api/trash')).body.data).toHaveLength(1);
  });

  it('detections of a user that run at once give one result', async () => {
    await writeGroups(kitchen, network);
    const detections = await Promise.all([detect(), detect(), detect({ algorithm: 'label-propagation' })]);
    expect(detections.map(({ status }) => status)).toEqual([200, 200, 200]);
    const ids = detections.map(({ body }) => body.data.communities.map(({ id }) => id));
    expect(ids[1]).toEqual(ids[0]);
    expect(ids[2]).toEqual(ids[0]);
  });

  it('a user sees and merges no communities of another', async () => {
    await writeGroups(kitchen, network);
    await detect();
    const [kitchenId, networkId] = [await communityWith('bread'), await communityWith('dns')];
    const other = await app.newClient();
    expect((await other.get<List>('/api/topics/communities')).body.data).toEqual([]);
    expect((await other.get(`/api/topics/communities/${kitchenId}`)).status).toBe(404);
    const ids = { sourceCommunityId: kitchenId, targetCommunityId: networkId };
    expect((await other.post('/api/topics/communities/merge', ids)).status).toBe(404);
    expect((await other.post<Detection>('/api/topics/detect-communities', {})).body.data).toMatchObject({
      communities: [],
      communityCount: 0,
    });
  });

  it('topics that only memories in the trash have are in no community, its name included', async () => {
    await writeGroups(network);
    const secret = await write(['secret plan', ...network]);
    await detect();
    const id = await communityWith('secret plan');
    await http.delete(`/api/memories/${secret}`);
    expect(await topicsOf(id)).toEqual([...network].sort());
    expect(JSON.stringify(await list())).not.toContain('secret');
    const { data } = (await http.get<{ data: Named[] }>('/api/trash')).body;
    await http.post(`/api/trash/${data[0].id}/restore`, {});
    expect(await topicsOf(id)).toContain('secret plan');
  });

  it('a topic that is merged after a detection is shown as what it means', async () => {
    await writeGroups(network);
    await detect();
    const id = await communityWith('dns');
    await http.post('/api/topics/merge', { sourceTopicId: 'vlan', targetTopicId: 'router' });
    expect(await topicsOf(id)).toEqual(['dns', 'router']);
    expect((await get(id)).body.data.topicCount).toBe(2);
  });

  describe('clusters', () => {
    type Clusters = {
      data: {
        clusters: (Named & { topics: Named[]; memoryCount: number; cohesion: number })[];
        clusterCount: number;
      };
    };
    const cluster = (body: object = {}) =>
      http.post<Clusters & { error: string }>('/api/topics/cluster', body);

    it('clusters join the topics that are on nearly the same memories', async () => {
      for (let i = 0; i < 3; i++) await write(['bread', 'yeast', 'flour']);
      await write(['dns', 'router']);
      await write(['dns', 'bread']);
      const { status, body } = await cluster();
      expect(status).toBe(200);
      expect(body.data.clusterCount).toBe(2);
      const [first, second] = body.data.clusters;
      expect(first.topics.map(({ name }) => name).sort()).toEqual(['bread', 'flour', 'yeast']);
      expect(first).toMatchObject({ memoryCount: 4, name: first.topics[0].name });
      expect(first.cohesion).toBeCloseTo((1 + 0.75 + 0.75) / 3, 6);
      expect(second).toMatchObject({ memoryCount: 2, cohesion: 0.5 });
      expect((await cluster({ minClusterSize: 3 })).body.data.clusterCount).toBe(1);
      const other = await app.newClient();
      expect((await other.post<Clusters>('/api/topics/cluster', {})).body.data.clusters).toEqual([]);
    });

    it.each([1, 0, -3, 2.5])('a cluster of at least %s topics is refused', async (minClusterSize) => {
      const { status, body } = await cluster({ minClusterSize });
      expect([status, body.error]).toEqual([422, expect.stringMatching(/minClusterSize/)]);
    });

    it('topics that only memories in the trash have are in no cluster', async () => {
      const id = await write(['dns', 'router']);
      await http.delete(`/api/memories/${id}`);
      expect((await cluster()).body.data).toEqual({ clusters: [], clusterCount: 0 });
    });
  });
});
