import { afterEach, describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import { newServiceFixture, type ServiceFixture } from '../support/service-fixture.ts';

describe.each(engines)('links of topics, entities and facts on %s', (engine) => {
  let fixture: ServiceFixture | undefined;
  afterEach(async () => {
    await fixture?.close();
    fixture = undefined;
  });

  it('a topic of more memories than are read names how many there are', async () => {
    fixture = await newServiceFixture(engine);
    const user = await fixture.newUser();
    for (let i = 0; i < 7; i++)
      await fixture.memories.create(
        user,
        { content: `Note ${i}.`, topics: ['tea'] },
        { conversationId: 'NEW' },
      );
    const other = await fixture.newUser();
    await fixture.memories.create(
      other,
      { content: 'Of another user.', topics: ['tea'] },
      { conversationId: 'NEW' },
    );
    const { graph, topics } = fixture.engine.forUser(user);
    const tea = await topics.find('tea');
    const { links, total } = await graph.linksOfConcept({ kind: 'topic', id: tea?.id ?? '' }, 3);
    expect(links).toHaveLength(3);
    expect(total).toBe(7);
  });
});
