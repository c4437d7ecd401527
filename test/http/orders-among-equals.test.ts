import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { User } from '../../src/domain/users/user.ts';
import { engines } from '../support/database.ts';
import { newSearchFixture, type SearchFixture } from '../support/search-fixture.ts';

/** As many as make a random order of them the right one hardly ever. */
const many = 8;
const numbers = Array.from({ length: many }, (_, i) => i);

describe.each(engines)('what is equal stands in the order of writing on %s', (engine) => {
  let now = Date.parse('2026-11-22T12:00:00Z');
  let fixture: SearchFixture;
  let user: User;
  beforeAll(async () => {
    fixture = await newSearchFixture(engine, { now: () => now });
    user = await fixture.newUser();
  });
  afterAll(() => fixture?.close());

  it('relationships of one millisecond are listed oldest first', async () => {
    const { relationships } = fixture.services;
    const source = await fixture.write(user, 'the source');
    const written: string[] = [];
    for (const number of numbers) {
      const other = await fixture.write(user, `target ${number}`);
      const [from, to] = number % 2 === 0 ? [source, other] : [other, source];
      const input = { targetMemoryId: to, type: 'REFERENCES', confidence: 1, reason: null } as const;
      written.push((await relationships.create(user, from, input)).id);
    }
    const listed = await relationships.list(user, source, 'both', 100);
    expect(listed.map(({ id }) => id)).toEqual(written);
    expect((await relationships.list(user, source, 'both', 3)).map(({ id }) => id)).toEqual(
      written.slice(0, 3),
    );
  });

  it('trash entries of one bulk delete are listed newest first', async () => {
    const ids: string[] = [];
    for (const number of numbers) ids.push(await fixture.write(user, `rubbish ${number}`));
    await fixture.services.memories.bulkDelete(user, ids);
    const { items } = await fixture.services.trash.list(user, { limit: 100, offset: 0 });
    expect(items.map(({ recordId }) => recordId)).toEqual(ids.toReversed());
  });

  it('conversations found with one score, those active last first', async () => {
    const searcher = await fixture.newUser();
    const written: string[] = [];
    for (const _ of numbers)
      written.push(
        (await fixture.services.conversations.create(searcher, { title: 'regatta plans' })).record.id,
      );
    const found = async (limit: number) =>
      (await fixture.services.search.conversations(searcher, 'regatta', limit)).hits.map(
        ({ conversation }) => conversation.id,
      );
    expect(await found(100)).toEqual(written.toReversed());
    now += 60_000;
    const [, active] = written;
    const { record: twice } = await fixture.services.conversations.create(searcher, {
      title: 'regatta plans',
    });
    await fixture.services.memories.create(searcher, { content: 'unlike' }, { conversationId: active });
    const first = await found(2);
    expect(first.toSorted()).toEqual([twice.id, active].toSorted());
  });

  it('topics that stand with another equally often, by name', async () => {
    const tagger = await fixture.newUser();
    const topics = ['hub', ...numbers.map((number) => `spoke ${number}`)];
    await fixture.services.memories.create(tagger, { content: 'a wheel', topics }, { conversationId: 'NEW' });
    const found = await fixture.services.topics.related(tagger, 'hub', 3);
    expect(found.map(({ topic }) => topic.name)).toEqual(['spoke 0', 'spoke 1', 'spoke 2']);
  });
});
