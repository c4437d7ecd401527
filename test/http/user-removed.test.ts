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
      const { memories, users } = app.services;
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
});
