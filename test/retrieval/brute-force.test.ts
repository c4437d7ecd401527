import { describe, expect, it } from 'vitest';
import type { Memory } from '../../src/domain/memories/memory.ts';
import type { User } from '../../src/domain/users/user.ts';
import type { SearchRequest } from '../../src/search/request.ts';
import type { MemoryFilter } from '../../src/search-index/memory-filter.ts';
import { engines } from '../support/database.ts';
import { type Random, randomFrom, uniqueWord } from '../support/random.ts';
import { newSearchFixture, type SearchFixture } from '../support/search-fixture.ts';
import { BruteForce, type BruteQuery } from './brute-force.ts';

/** Enough that the last digits are computed for the best alone. */
const memoriesCount = 1500;
const searchesCount = 600;
const conversationsCount = 40;
const minute = 60_000;
const start = Date.parse('2024-03-01T00:00:00.000Z');
const topics = Array.from({ length: 24 }, (_, i) => `topic${i}`);
const types = ['episodic', 'semantic', 'procedural'] as const;
/** Their first letters are those of their number. */
const words = Array.from({ length: 400 }, (_, i) => uniqueWord(i * 1_000_000));
/** Letters that ten of the words begin with. */
const beginningLength = 7;

function textOf(random: Random): string {
  const word = () => words[Math.floor(words.length * random.float() ** 3)];
  const text = Array.from({ length: random.int(3, 14) }, word).join(' ');
  return random.chance(0.2) ? `${text}?` : text;
}

describe.each(engines)('on %s, random searches', (engine) => {
  it('random searches find, count and score what going through all memories finds', {
    timeout: 300_000,
  }, async () => {
    let now = start;
    const fixture = await newSearchFixture(engine, { now: () => now });
    try {
      const user = await fixture.newUser();
      const written = new BruteForce();
      await write(fixture, user, written, () => (now += minute));
      now += minute;
      const random = randomFrom(77);
      for (let i = 0; i < searchesCount; i++) {
        const query = queryOf(random, written);
        const filter = filterOf(random, written);
        const name = `${i}: ${query.text} ${JSON.stringify(filter)}`;
        if (i % 3 === 2) await comparePages(fixture, user, { query, filter, random, name });
        else await compareWithBruteForce(fixture, user, written, { query, filter, random, name });
      }
    } finally {
      await fixture.close();
    }
  });
});

interface Asked {
  readonly query: BruteQuery;
  readonly filter: MemoryFilter;
  readonly random: Random;
  readonly name: string;
}

/** By words, each memory alone or in its conversation: matches, total, facets; alone the order and the scores too. */
async function compareWithBruteForce(
  { search }: SearchFixture,
  user: User,
  written: BruteForce,
  { query, filter, random, name }: Asked,
): Promise<void> {
  const context = random.chance(0.5);
  const expected = written.search(query, filter, context);
  const { hits, total, facets } = await search(user, query.text, {
    filter,
    context,
    includeFacets: true,
    limit: memoriesCount,
    explain: false,
  });
  expect(total, name).toBe(expected.size);
  expect(hits.map(({ memory }) => memory.id).sort(), name).toEqual([...expected.keys()].sort());
  expect(facets, name).toMatchObject(written.facets([...expected.values()]));
  // What a word may become weighs less, and is not part of these scores.
  if (context || query.beginning !== undefined) return;
  // What replaces another result comes before it, whatever its words.
  if (!filter.includeSuperseded)
    for (const { memory, score } of hits)
      expect(score, name).toBeCloseTo(expected.get(memory.id)?.score ?? -1, 9);
  for (const [i, { score }] of hits.entries())
    expect(score, name).toBeLessThanOrEqual(hits[i - 1]?.score ?? Infinity);
}

/**
 * By words within conversations: a page of the best first has the memories and the scores, to the last digit, that all matches in another
 * order have, for which every score is computed in full.
 */
async function comparePages(
  { search }: SearchFixture,
  user: User,
  { query, filter, random, name }: Asked,
): Promise<void> {
  const request: Partial<SearchRequest> = {
    context: true,
    filter,
    explain: false,
  };
  const all = await search(user, query.text, {
    ...request,
    sortBy: 'eventTime',
    order: 'desc',
    limit: memoriesCount,
  });
  const best = all.hits.toSorted((x, y) => (y.score ?? 0) - (x.score ?? 0));
  const offset = random.pick([0, 0, 7, 40]);
  const page = await search(user, query.text, { ...request, offset, limit: 20, includeFacets: true });
  const given = best.slice(offset, offset + 20).map(({ score }) => score);
  expect(page.total, name).toBe(all.total);
  expect(all.hits.length, name).toBe(all.total);
  expect(
    page.hits.map(({ score }) => score),
    name,
  ).toEqual(given);
  const scoreOf = new Map(all.hits.map(({ memory, score }) => [memory.id, score]));
  for (const { memory, score } of page.hits) expect(score, name).toBe(scoreOf.get(memory.id));
  expect(page.facets, name).toMatchObject(new BruteForce().facets(all.hits.map(({ memory }) => memory)));
}

function queryOf(random: Random, { versions }: BruteForce): BruteQuery {
  const known = random.pick(versions).memory.content.replace('?', '').split(' ');
  const typed = random.sample(known, random.int(1, 4)).join(' ');
  if (random.chance(0.15)) {
    const beginning = random.pick(words).slice(0, beginningLength);
    return { text: `${typed} ${beginning}`, beginning };
  }
  if (random.chance(0.15)) {
    const phrase = known.slice(0, 2).join(' ');
    return { text: `"${phrase}" `, phrase };
  }
  // What ends in a space is finished.
  return { text: `${typed} ` };
}

function filterOf(random: Random, { versions }: BruteForce): MemoryFilter {
  const { memory, openedAt } = random.pick(versions);
  const filters: MemoryFilter[] = [
    { includeSuperseded: false },
    { includeSuperseded: false },
    { includeSuperseded: true },
    { includeSuperseded: false, topics: random.sample(topics, 3) },
    { includeSuperseded: false, excludeTopics: random.sample(topics, 3) },
    { includeSuperseded: true, memoryType: random.pick(types) },
    { includeSuperseded: false, conversationId: memory.conversationId },
    { includeSuperseded: false, eventFrom: memory.eventTime ?? openedAt },
    { includeSuperseded: true, eventTo: openedAt },
    { includeSuperseded: random.chance(0.5), asOf: openedAt + random.int(0, 3) * minute },
  ];
  return random.pick(filters);
}

/** Memories in conversations, of which some are changed, superseded and deleted later. */
async function write(
  { services }: SearchFixture,
  user: User,
  written: BruteForce,
  tick: () => number,
): Promise<void> {
  const random = randomFrom(5);
  const conversations: string[] = [];
  const { versions } = written;
  const seqs = new Map<string, number>();
  const add = (memory: Memory, openedAt: number) => {
    if (!seqs.has(memory.id)) seqs.set(memory.id, seqs.size);
    const before = versions.findLast((version) => version.memory.id === memory.id);
    if (before) before.closedAt = openedAt;
    const seq = seqs.get(memory.id) ?? 0;
    versions.push({ memory, seq, openedAt, closedAt: Number.POSITIVE_INFINITY, isTrashed: false });
  };
  for (let i = 0; i < memoriesCount; i++) {
    const openedAt = tick();
    const isFirst = conversations.length < conversationsCount;
    const body = {
      content: textOf(random),
      topics: random.sample(topics, random.int(0, 2)),
      memoryType: random.pick(types),
      eventTime: random.chance(0.3) ? start - random.int(0, 500) * minute : undefined,
    };
    const conversationId = isFirst ? 'NEW' : random.pick(conversations);
    const { memory } = await services.memories.create(user, body, { conversationId });
    if (isFirst) conversations.push(memory.conversationId);
    add(memory, openedAt);
  }
  const open = () =>
    random.pick(versions.filter(({ closedAt, isTrashed }) => closedAt === Infinity && !isTrashed)).memory;
  for (let i = 0; i < 60; i++) {
    const changed = open();
    const openedAt = tick();
    add(await services.memories.update(user, changed.id, { content: textOf(random) }), openedAt);
    const superseded = open();
    const at = tick();
    const { memory } = await services.memories.create(
      user,
      { content: textOf(random) },
      { conversationId: superseded.conversationId, supersedes: superseded.id },
    );
    add(memory, at);
    add(await services.memories.get(user, superseded.id), at);
    const deleted = open();
    tick();
    await services.memories.delete(user, deleted.id);
    for (const version of versions) if (version.memory.id === deleted.id) version.isTrashed = true;
  }
}
