import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import { newSearchFixture, type SearchFixture } from '../support/search-fixture.ts';

describe.each(engines)('records answered again on %s', (engine) => {
  let fixture: SearchFixture;
  beforeAll(async () => {
    fixture = await newSearchFixture(engine);
  });
  afterAll(() => fixture.close());

  it('records returned again are as they are now, whatever was returned before', async () => {
    const { services } = fixture;
    const user = await fixture.newUser();
    const id = await fixture.write(user, 'the kettle is red');
    const first = (await fixture.search(user, 'kettle')).hits[0].memory;
    expect((await fixture.search(user, 'kettle')).hits[0].memory).toEqual(first);

    await services.memories.update(user, id, { content: 'the kettle is blue', importance: 0.5 });
    expect((await fixture.search(user, 'kettle')).hits[0].memory).toMatchObject({
      content: 'the kettle is blue',
      importance: 0.5,
    });
    await services.memories.bulkTag(user, [id], { add: ['kitchen'], remove: [] });
    expect((await fixture.search(user, 'kettle')).hits[0].memory.topics).toEqual(['kitchen']);
    await services.memories.delete(user, id);
    expect((await fixture.search(user, 'kettle')).hits).toEqual([]);
  });

  it('records returned again are never those of another user', async () => {
    const [ann, bea] = [await fixture.newUser(), await fixture.newUser()];
    for (const user of [ann, bea])
      for (let i = 0; i < 5; i++) await fixture.write(user, `${user.name} has a lantern`);
    for (let round = 0; round < 2; round++)
      for (const user of [ann, bea]) {
        const found = await fixture.found(user, 'lantern');
        expect(found).toEqual(Array.from({ length: 5 }, () => `${user.name} has a lantern`));
      }
  });
});
