import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readDataSet } from '../../bench/locomo/data-set.ts';
import { toContent } from '../../bench/locomo/import-conversation.ts';
import type { User } from '../../src/domain/users/user.ts';
import { candidateCounts } from '../../src/search/rank/network/candidates.ts';
import type { SearchOutcome, SearchRequest } from '../../src/search/request.ts';
import { engines } from '../support/database.ts';
import { newSearchFixture, type SearchFixture } from '../support/search-fixture.ts';

const talks = readDataSet(fileURLToPath(new URL('../fixtures/locomo-small.json', import.meta.url)));
const questions = talks.conversations.flatMap((talk) => talk.questions.map(({ question }) => question));
const hybrid: Partial<SearchRequest> = { method: 'hybrid', context: true, explain: true, threshold: 0 };
const ranked = new Map<string, string[]>();

describe.each(engines)('on %s, the best results of a hybrid search', (engine) => {
  let fixture: SearchFixture;
  let user: User;
  let total: number;
  const search = (query: string, request: Partial<SearchRequest> = {}) =>
    fixture.search(user, query, { ...hybrid, ...request });
  const textsOf = ({ hits }: SearchOutcome) => hits.map(({ memory }) => memory.content);

  beforeAll(async () => {
    fixture = await newSearchFixture(engine);
    user = await fixture.newUser();
    total = 0;
    for (const { sessions } of talks.conversations)
      for (const session of sessions) {
        const { record } = await fixture.services.conversations.create(user, { title: `${session.number}` });
        for (const turn of session.turns) {
          await fixture.services.memories.create(
            user,
            { content: `${toContent(turn)} (${total++})`, eventTime: Date.parse(session.startedAt) },
            { conversationId: record.id },
          );
        }
      }
  });
  afterAll(() => fixture.close());

  it('the best results are ordered by a network, the same way every time and on both engines', async () => {
    for (const question of questions.slice(0, 12)) {
      const texts = textsOf(await search(question, { limit: 20 }));
      expect(textsOf(await search(question, { limit: 20 }))).toEqual(texts);
      expect(ranked.get(question) ?? texts).toEqual(texts);
      ranked.set(question, texts);
    }
  });

  it('what groups give to a result adds up to its score, above the other matches and below', async () => {
    const { hits } = await search(questions[3], { limit: 200 });
    expect(hits.length).toBeGreaterThan(candidateCounts.bySum);
    for (const { score, branchScores } of hits) {
      const sum = Object.values(branchScores).reduce((all, value) => all + value, 0);
      expect(Math.max(0, sum)).toBeCloseTo(score ?? -1, 9);
    }
  });

  it('an explanation names what the network gave, in words and numbers that add up to the score', async () => {
    const [{ score, explanation }] = (await search(questions[3])).hits;
    const factors = explanation?.contributingFactors ?? [];
    const numbers = factors.flatMap((factor) => / ([+-]\d+\.\d{3})$/.exec(factor)?.[1] ?? []);
    expect(factors.join('; ')).toMatch(/being among the best matches/);
    expect(factors.join('; ')).toMatch(/its own words|words similar to those of the query/);
    expect(numbers.reduce((sum, number) => sum + Number(number), 0)).toBeCloseTo(score ?? -1, 1);
  });

  it('pages of results have each memory once and none is missing, across the last that the network ordered', async () => {
    const whole = textsOf(await search(questions[5], { limit: 1000 }));
    expect(new Set(whole).size).toBe(total);
    const paged: string[] = [];
    for (let offset = 0; offset < total; offset += 17)
      paged.push(...textsOf(await search(questions[5], { limit: 17, offset })));
    expect(paged).toEqual(whole);
  });

  it('every result that the network ordered comes before every other match', async () => {
    const { hits } = await search(questions[7], { limit: 1000 });
    const isOrdered = hits.map(({ branchScores }) => (branchScores.candidate ?? 0) !== 0);
    const ordered = isOrdered.filter((is) => is).length;
    expect(ordered).toBeGreaterThanOrEqual(candidateCounts.bySum);
    const scores = hits.map(({ score }) => score ?? 0);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  });

  it('weights of a request multiply what their features give', async () => {
    const groupOf = async (request: Partial<SearchRequest>, group: string) => {
      const { hits } = await search(questions[3], { limit: 50, ...request });
      const shares = hits.map(({ branchScores }) => {
        const all = Object.entries(branchScores).filter(([name]) => name !== 'candidate');
        const whole = all.reduce((sum, [, value]) => sum + Math.abs(value), 0);
        return whole === 0 ? 0 : Math.abs(branchScores[group] ?? 0) / whole;
      });
      return shares.reduce((sum, share) => sum + share, 0) / shares.length;
    };
    expect(await groupOf({ vectorWeight: 0.05 }, 'vector')).toBeLessThan(await groupOf({}, 'vector'));
    expect(await groupOf({ fulltextWeight: 1 }, 'fulltext')).toBeGreaterThan(await groupOf({}, 'fulltext'));
  });

  it('a search by words, by vectors, of each memory alone, or for a time alone is not ordered by the network', async () => {
    const others: Partial<SearchRequest>[] = [
      { method: 'keyword' },
      { method: 'semantic' },
      { context: false },
      { vectorWeight: 0 },
    ];
    for (const request of others)
      for (const { branchScores } of (await search(questions[0], request)).hits)
        expect(branchScores.candidate).toBeUndefined();
    for (const { branchScores } of (await search('what happened in March 2024')).hits)
      expect(branchScores.candidate).toBeUndefined();
  });
});
