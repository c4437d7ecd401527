import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { User } from '../../src/domain/users/user.ts';
import { engines } from '../support/database.ts';
import { newSearchFixture, type SearchFixture } from '../support/search-fixture.ts';

const spread = 'better results of the same conversation';

describe.each(engines)('on %s, a question that asks for several answers', (engine) => {
  let fixture: SearchFixture;
  let user: User;
  beforeAll(async () => {
    fixture = await newSearchFixture(engine);
    user = await fixture.newUser();
    const say = async (...turns: string[]) => {
      const { record } = await fixture.services.conversations.create(user, { title: 'talk' });
      for (const turn of turns) await fixture.write(user, turn, record.id);
    };
    await say('We visited cities with canals', 'More cities that we visited', 'Cities, visited twice', 'Tea');
    await say('One of the cities that I visited is Lisbon, by train in a rainy week of March');
  });
  afterAll(() => fixture.close());

  const first = async (query: string, method: 'hybrid' | 'keyword' | 'semantic' = 'hybrid', context = true) =>
    (await fixture.search(user, query, { method, context })).hits;
  const factorsOf = (hits: Awaited<ReturnType<typeof first>>) =>
    hits.map(({ explanation }) =>
      (explanation?.contributingFactors ?? []).filter((factor) => factor.startsWith(spread)),
    );

  it('a question that asks for several answers gives each result .05 less for every better one of its conversation', async () => {
    for (const method of ['hybrid', 'keyword'] as const) {
      const hits = await first('which cities visited', method);
      const given = factorsOf(hits).map(([factor]) => Number(factor?.split(' ').at(-1) ?? 0));
      const places = new Map<string, number[]>();
      for (const [i, { memory }] of hits.entries())
        places.set(memory.conversationId, [...(places.get(memory.conversationId) ?? []), given[i]]);
      expect([...places.values()].sort((x, y) => y.length - x.length)).toEqual([
        [0, -0.05, -0.1, -0.15],
        [0],
      ]);
      const scores = hits.map(({ score }) => score ?? 0);
      expect(scores).toEqual([...scores].sort((x, y) => y - x));
    }
  });

  it('a question that asks for several answers says in an explanation and in branchScores what it took away', async () => {
    const hits = await first('which cities visited');
    expect(factorsOf(hits).flat().sort()).toEqual([
      `${spread} -0.050`,
      `${spread} -0.100`,
      `${spread} -0.150`,
    ]);
    for (const { branchScores, score } of hits) {
      const sum = Object.values(branchScores).reduce((all, value) => all + value, 0);
      expect(sum).toBeCloseTo(score ?? 0, 10);
    }
  });

  it('a question that asks for several answers has the same results on its pages as in one list', async () => {
    const whole = await first('which cities visited');
    const pages: string[] = [];
    for (let offset = 0; offset < whole.length; offset++) {
      const page = { method: 'hybrid', context: true, limit: 1, offset } as const;
      const { hits } = await fixture.search(user, 'which cities visited', page);
      pages.push(...hits.map(({ memory }) => memory.id));
    }
    expect(pages).toEqual(whole.map(({ memory }) => memory.id));
  });

  it('a search by vectors alone, one that judges each memory alone, and another question are not spread', async () => {
    const others = [
      await first('which cities visited', 'semantic'),
      await first('which cities visited', 'keyword', false),
      await first('which cities visited', 'hybrid', false),
      await first('which city was visited'),
      await first('cities visited'),
    ];
    for (const hits of others) expect(factorsOf(hits).flat()).toEqual([]);
  });
});
