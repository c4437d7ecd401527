import { describe, expect, it } from 'vitest';
import { entitySorts } from '../../src/domain/entities/entity.ts';
import { engines } from '../support/database.ts';
import { deriveAll } from '../support/derive.ts';
import { randomFrom } from '../support/random.ts';
import { useApp, useClient } from '../support/use-app.ts';

interface Named {
  readonly id: string;
}
type Many = { readonly data: readonly Named[] };

const texts = [
  'Ana: I moved to Lisbon in March and work for Nordlicht now.',
  'Docker runs on the build machine in Porto.',
  'We moved the ledger from MongoDB to PostgreSQL.',
  'Ben: I like Lisbon. PostgreSQL needs a vacuum every night.',
  'Kubernetes needs Docker. Ana likes PostgreSQL.',
];
const topics = ['ops', 'operations', 'docker', 'databases', 'PostgreSQL', 'travel'];
const all = { limit: 1000, offset: 0 } as const;
const seeds = [1, 2, 3];
const actsPerSeed = 45;

describe.each(engines)('lists with counts on %s', (engine) => {
  const app = useApp(engine);
  const http = useClient(app);

  const idsOf = async (path: string) => (await http.get<Many>(path)).body.data.map(({ id }) => id);
  /** Random acts of a user, each of which may be refused. */
  const acts = (random: ReturnType<typeof randomFrom>) => {
    const one = async (path: string) => {
      const ids = await idsOf(path);
      return ids.length === 0 ? 'none' : random.pick(ids);
    };
    const body = () => ({ content: random.pick(texts), topics: random.sample(topics, random.int(0, 3)) });
    const merge = async (list: string, key: string) =>
      http.post(`/api/${list}/merge`, {
        [`source${key}Id`]: await one(`/api/${list}?limit=100`),
        [`target${key}Id`]: await one(`/api/${list}?limit=100`),
      });
    const write = () => http.post('/api/memories', { ...body(), conversationId: 'NEW' });
    return [
      write,
      write,
      write,
      async () => http.put(`/api/memories/${await one('/api/memories?limit=100')}`, body()),
      async () => http.delete(`/api/memories/${await one('/api/memories?limit=100')}`),
      async () => http.delete(`/api/conversations/${await one('/api/conversations?limit=100')}`),
      async () => http.post(`/api/trash/${await one('/api/trash?limit=100')}/restore`),
      async () => http.post(`/api/trash/${await one('/api/trash?limit=100')}/restore`),
      async () => http.delete(`/api/trash/${await one('/api/trash?limit=100')}`),
      () => merge('entities', 'Entity'),
      () => merge('topics', 'Topic'),
      async () => http.delete(`/api/entities/${await one('/api/entities?limit=100')}`),
      async () =>
        http.patch(`/api/entities/${await one('/api/entities?limit=100')}`, { type: 'ORGANIZATION' }),
      async () => http.delete(`/api/facts/${await one('/api/facts?limit=100')}`),
      async () =>
        http.post('/api/facts', {
          ...{ subject: 'Ana', predicate: 'likes', object: `tea ${random.int(1, 99)}` },
          sourceMemoryIds: [await one('/api/memories?limit=100')],
        }),
    ];
  };

  it.each(seeds)('after each of many random acts lists count what each record counts (%i)', async (seed) => {
    const random = randomFrom(seed);
    const me = (await http.get<{ data: Named }>('/api/users/me')).body.data;
    const user = (await app.storage.users.list()).find(({ publicId }) => publicId === me.id);
    if (!user) throw new Error('the user of this test is not known');
    const stores = app.storage.forUser(user);
    const assertCounted = async (after: string) => {
      const entities = await stores.entities.list({ ...all, sortBy: 'mentionCount', order: 'desc' });
      for (const sortBy of entitySorts) {
        const { items } = await stores.entities.list({ ...all, sortBy, order: 'asc' });
        expect(new Set(items), after).toEqual(new Set(entities.items));
      }
      const found = await Promise.all(entities.items.map(({ id }) => stores.entities.find(id)));
      expect(entities.items, after).toEqual(found);
      const truth = await stores.entities.derivedTotals({ createdFrom: 0 });
      expect(await stores.entities.derivedTotals({}), after).toEqual(truth);
      expect([entities.count, entities.items.length], after).toEqual([truth.entities, truth.entities]);
      for (const sortBy of ['memoryCount', 'name'] as const) {
        const listed = await stores.topics.list({ ...all, sortBy, order: 'desc' });
        expect(listed.items, after).toEqual(await stores.topics.findMany(listed.items.map(({ id }) => id)));
        expect(listed.count, after).toBe(listed.items.length);
      }
      const facts = await stores.facts.list({ ...all, sortBy: 'createdAt', order: 'asc' });
      expect(facts.count, after).toBe((await stores.facts.listAfter('', 1000)).length);
      const mentions = entities.items.map(({ mentionCount }) => mentionCount);
      expect(mentions, after).toEqual(mentions.toSorted((a, b) => b - a));
    };
    for (let act = 0; act < actsPerSeed; act++) {
      const { status } = await random.pick(acts(random))();
      expect(status).toBeLessThan(500);
      await assertCounted(`act ${act}`);
      if (!random.chance(0.5)) continue;
      await deriveAll(app.services);
      await assertCounted(`derived after act ${act}`);
    }
  });
});
