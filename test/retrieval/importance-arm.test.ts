import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { type Arm, ArmFailure } from '../../src/search/arms/arm.ts';
import { createSearch } from '../../src/search/create-search.ts';
import { checked, type Ranking, shippedRanking } from '../../src/search/rank/ranking.ts';
import type { SearchRequest } from '../../src/search/request.ts';
import { analyzeQuery, analyzeWithOffsets } from '../../src/search-index/analysis/index.ts';
import { IndexCache } from '../../src/search-index/index-cache.ts';
import { engines } from '../support/database.ts';
import { semanticRequest } from '../support/embedding-fixture.ts';
import { newSearchFixture, type SearchFixture } from '../support/search-fixture.ts';
import { importanceArm } from './importance-arm.ts';

const shipped = shippedRanking(undefined, { analyzeQuery });
const request: SearchRequest = { ...semanticRequest, method: 'keyword', query: 'tea', explain: true };

function withArm(arm: Arm, weight = 0.7): Ranking {
  const { keyword, hybrid, semantic } = shipped.weights;
  const importance = { self: weight };
  return checked({
    arms: [...shipped.arms, arm],
    rescorers: [],
    weights: {
      keyword: { ...keyword, importance },
      hybrid: { ...hybrid, importance },
      semantic: { ...semantic, importance },
    },
  });
}

describe.each(engines)('on %s, an arm that was added', (engine) => {
  let fixture: SearchFixture;
  beforeAll(async () => {
    fixture = await newSearchFixture(engine);
  });
  afterAll(() => fixture.close());

  async function searchWith(arm: Arm, more: Partial<SearchRequest> = {}) {
    const { storage, services } = fixture;
    const user = await fixture.newUser();
    const write = (content: string, metadata = {}) =>
      services.memories.create(user, { content, metadata }, { conversationId: 'NEW' });
    await write('We drink tea at four.', { importance: 'high' });
    await write('They drink tea at six.');
    await write('Coffee is for the morning.', { importance: 'high' });
    const readerFor = storage.indexFor.bind(storage);
    const search = createSearch({
      stores: storage,
      indexes: new IndexCache({ bytesMax: 2 ** 24, readerFor }),
      readerFor,
      embedding: storage.embedding,
      analyzeQuery,
      analyzeWithOffsets,
      clock: systemClock,
      ranking: withArm(arm),
    });
    return search.search(user, { ...request, ...more });
  }

  it.each([true, false])(
    'an arm that was added ranks and is named in the answer, with context %s',
    async (context) => {
      const { hits } = await searchWith(importanceArm, { context });
      expect(hits.map(({ memory }) => memory.content)).toEqual([
        'We drink tea at four.',
        'They drink tea at six.',
      ]);
      expect(hits.map(({ branchScores }) => branchScores.importance)).toEqual([0.7, 0]);
      expect(hits[0].explanation?.contributingFactors).toContain('its importance +0.700');
      expect(hits[0].explanation?.matchReason).toBe('Holds "tea"; helped by its importance.');
      expect((hits[0].score ?? 0) - (hits[1].score ?? 0)).toBeCloseTo(0.7, 10);
    },
  );

  it('an arm that fails is named, and the others answer', async () => {
    const failing: Arm = {
      ...importanceArm,
      run: () => {
        throw new ArmFailure('connection', 'nobody there');
      },
    };
    const { hits, method, branchFailures } = await searchWith(failing);
    expect(branchFailures).toEqual([{ name: 'importance', status: 'error', reason: 'connection' }]);
    expect([method, hits.length]).toEqual(['keyword', 2]);
  });

  it('an arm that waits for longer than it may is named as late, and the others answer', async () => {
    const late: Arm = {
      ...importanceArm,
      waitMs: 1,
      run: async ({ wait }) => {
        await wait(new Promise(() => undefined));
        return [];
      },
    };
    const { hits, branchFailures } = await searchWith(late);
    expect(branchFailures).toEqual([{ name: 'importance', status: 'timeout', reason: 'timeout' }]);
    expect(hits.length).toBe(2);
  });

  it('an arm that has a fault of its own fails the search', async () => {
    const faulty: Arm = {
      ...importanceArm,
      run: () => {
        throw new TypeError('a fault');
      },
    };
    await expect(searchWith(faulty)).rejects.toThrow('a fault');
  });
});

describe('a ranking', () => {
  it('a ranking is refused where no method weighs a signal, where a weight names no part of it, or two have one name', () => {
    const { arms } = shipped;
    expect(() => checked({ ...shipped, arms: [...arms, importanceArm] })).toThrow(
      'no method weighs the signal importance',
    );
    const importance = { self: 1, before: 1 };
    const keyword = { ...shipped.weights.keyword, importance };
    expect(() =>
      checked({ ...shipped, arms: [...arms, importanceArm], weights: { ...shipped.weights, keyword } }),
    ).toThrow('the signal importance has no part before');
    expect(() => checked({ ...shipped, arms: [...arms, arms[0]] })).toThrow('two signals have one name');
  });
});
