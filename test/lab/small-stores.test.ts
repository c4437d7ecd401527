import { expect, it } from 'vitest';
import { readTalkSet } from '../../bench/talks/talk-set.ts';
import { directHalves } from '../../lab/relevance/direct-questions.ts';
import { readSmallStores, readWrittenStores } from '../../lab/relevance/small-stores.ts';

it('the written small stores have up to thirty notes, and questions name notes of their store', () => {
  const stores = directHalves.flatMap(readWrittenStores);
  expect(stores.length).toBe(10);
  for (const { stored, questions } of stores) {
    const notes = stored.sessions.flatMap(({ turns }) => turns.map(({ id }) => id));
    expect(notes.length).toBeGreaterThanOrEqual(5);
    expect(notes.length).toBeLessThanOrEqual(30);
    expect(questions.some(({ evidence }) => evidence.length === 0)).toBe(true);
    for (const { evidence } of questions) expect(evidence.filter((id) => !notes.includes(id))).toEqual([]);
  }
});

it('parts of the talks have each turn once, and a question only the turns of its part', () => {
  const { conversations } = readTalkSet();
  const parts = readSmallStores(conversations).filter(({ stored }) => stored.id.includes('/'));
  const all = parts.flatMap(({ stored, user }) =>
    stored.sessions.flatMap(({ turns }) => turns.map(({ id }) => `${user} ${id}`)),
  );
  expect(new Set(all).size).toBe(all.length);
  const whole = conversations.flatMap(({ sessions }) => sessions.flatMap(({ turns }) => turns));
  expect(all.length).toBe(whole.length);
  for (const { stored, questions } of parts) {
    const ids = new Set(stored.sessions.flatMap(({ turns }) => turns.map(({ id }) => id)));
    for (const { evidence } of questions) expect(evidence.every((id) => ids.has(id))).toBe(true);
  }
});
