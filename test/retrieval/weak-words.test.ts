import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readNoteSet } from '../../bench/notes/note-set.ts';
import type { User } from '../../src/domain/users/user.ts';
import { engines } from '../support/database.ts';
import { newSearchFixture, type SearchFixture } from '../support/search-fixture.ts';

const hybrid = { method: 'hybrid', context: true } as const;

describe.each(engines)('words that say little (%s)', (engine) => {
  let fixture: SearchFixture;
  let user: User;
  beforeAll(async () => {
    fixture = await newSearchFixture(engine);
    user = await fixture.newUser();
    for (const text of readNoteSet().others.slice(0, 100)) await fixture.write(user, text);
    await fixture.write(user, 'The contract with the agency was signed');
    await fixture.write(user, 'Our seeds for the balcony arrived');
    await fixture.write(user, 'The laptop crashed while the film was running');
    await fixture.write(user, 'The checkout pods ran out of memory and restarted');
  });
  afterAll(() => fixture.close());

  it.each(['contact', 'speed'])('a word of the language, %s, is no typo of another', async (word) => {
    const { hits } = await fixture.search(user, `${word}.`);
    expect(hits.map(({ memory }) => memory.content)).toEqual([]);
  });

  it('a word that no language has is one', async () => {
    expect(await fixture.found(user, 'contarct.')).toContain('The contract with the agency was signed');
  });

  it('the one word of many that a memory holds does not drown what is near in meaning', async () => {
    const query = 'container orchestration backend services crash when RAM is exhausted';
    const [first] = await fixture.found(user, query, hybrid);
    expect(first).toBe('The checkout pods ran out of memory and restarted');
  });
});
