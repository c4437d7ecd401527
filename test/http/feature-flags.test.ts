import { describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import { useApp, useClient } from '../support/use-app.ts';

describe.each(engines)('feature flags on %s', (engine) => {
  const app = useApp(engine);
  const http = useClient(app);

  it('feature flags are evaluated as they are listed, and one that nobody knows is off', async () => {
    const listed = await http.get<{ data: Record<string, unknown> }>('/api/system/feature-flags');
    expect(listed.status).toBe(200);
    const flags = Object.entries(listed.body.data).filter(([, value]) => typeof value === 'boolean');
    expect(flags.length).toBeGreaterThan(0);
    for (const [flagName, enabled] of [...flags, ['no-such-flag', false]]) {
      const reply = await http.post('/api/system/feature-flags/evaluate', { flagName });
      const evaluated = { flagName, enabled, evaluatedAt: expect.any(String) };
      expect([reply.status, reply.body.data]).toEqual([200, evaluated]);
    }
  });

  it('feature flags are refused without a name', async () => {
    const reply = await http.post<{ error: string }>('/api/system/feature-flags/evaluate', {});
    expect([reply.status, reply.body.error]).toEqual([422, expect.stringContaining('flagName')]);
  });
});
