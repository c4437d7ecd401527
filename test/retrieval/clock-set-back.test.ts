import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import { newSearchFixture, type SearchFixture } from '../support/search-fixture.ts';

const dayMs = 86_400_000;

describe.each(engines)('a clock that is set back between two edits on %s', (engine) => {
  const clock = { time: Date.parse('2026-05-10T12:00:00Z'), now: () => clock.time };
  let fixture: SearchFixture;
  beforeAll(async () => {
    fixture = await newSearchFixture(engine, clock);
  });
  afterAll(() => fixture.close());

  it('a clock that is set back between two edits leaves each text a time at which a look back sees it, in the order in which they were written', async () => {
    const user = await fixture.newUser();
    const began = clock.time;
    const id = await fixture.write(user, 'the first text of apples');
    clock.time = began - 3 * dayMs;
    await fixture.services.memories.update(user, id, { content: 'the second text of apples' });
    clock.time = began - 10 * dayMs;
    await fixture.services.memories.update(user, id, { content: 'the third text of apples' });
    clock.time = began + dayMs;
    await fixture.services.memories.update(user, id, { content: 'the fourth text of apples' });
    const seen = [];
    for (const at of [0, 1, 2, dayMs]) {
      seen.push(
        ...(await fixture.found(user, 'apples', { filter: { asOf: began + at, includeSuperseded: false } })),
      );
    }
    expect(seen).toEqual([
      'the first text of apples',
      'the second text of apples',
      'the third text of apples',
      'the fourth text of apples',
    ]);
    expect(
      await fixture.found(user, 'apples', { filter: { asOf: began - 1, includeSuperseded: false } }),
    ).toEqual([]);
  });
});
