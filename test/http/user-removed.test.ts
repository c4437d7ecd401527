import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type AppFixture, newAppFixture } from '../support/app-fixture.ts';
import { engines } from '../support/database.ts';
import { newGate } from '../support/gate.ts';

describe.each(engines)('a user who is removed on %s', (engine) => {
  let app: AppFixture;
  beforeEach(async () => {
    app = await newAppFixture(engine);
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await app.close();
  });

  it.each<Record<string, string>>([{}, { 'idempotency-key': 'k' }])(
    'a user who is removed gets 401 for a write that was in flight, sent with %o',
    async (headers) => {
      const { memories } = app.services;
      const { users } = app.storage;
      const http = await app.newClient();
      const gate = newGate();
      const create = memories.create.bind(memories);
      vi.spyOn(memories, 'create').mockImplementationOnce((...args) => gate.pass(() => create(...args)));
      const sent = http.post('/api/memories', { content: 'late' }, headers);
      await gate.reached;
      for (const user of await users.list()) await users.erase(user);
      gate.open();
      expect(await sent).toMatchObject({ status: 401, body: { code: 'AUTHENTICATION_REQUIRED' } });
    },
  );

  it('a user who is removed is erased in turns with the writes of others, and their name is free at once', async () => {
    const { users, upkeep } = app.storage;
    const leaving = await app.newClient();
    const contents = Array.from({ length: 120 }, (_, i) => `quagga ${i}`);
    await Promise.all(contents.map((content) => leaving.post('/api/memories', { content })));
    const [gone] = await users.list();
    const other = await app.newClient();
    await users.retire(gone);
    expect((await leaving.post('/api/memories', { content: 'late' })).status).toBe(401);
    expect(await users.findByName(gone.name)).toBeUndefined();
    let isErased = false;
    const erasing = users.erase(gone).then(() => {
      isErased = true;
    });
    let writes = 0;
    for (; !isErased; writes++) await other.post('/api/memories', { content: 'walrus' });
    await erasing;
    // In one transaction, of which one write or two go before the end.
    expect(writes).toBeGreaterThan(4);
    const report = await upkeep.check(() => undefined);
    expect(report).toMatchObject({ strays: [], orphans: [], faults: [], unfinishedRemovals: [] });
  });
});
