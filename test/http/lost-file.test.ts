import { renameSync } from 'node:fs';
import { expect, it } from 'vitest';
import { newAppFixture } from '../support/app-fixture.ts';
import { sqlitePath } from '../support/database.ts';

it('a service whose file is moved away refuses writes, reads on, says so without naming the file, and works when it is back', async () => {
  const app = await newAppFixture('sqlite', { MEMORYD_LOG_LEVEL: 'info' });
  try {
    const http = await app.newClient();
    expect((await http.post('/api/memories', { content: 'kept' })).status).toBe(201);
    const path = sqlitePath(app.databaseUrl);
    renameSync(path, `${path}.away`);
    const refused = await http.post('/api/memories', { content: 'never answered 201' });
    expect(refused).toMatchObject({ status: 503, body: { code: 'STORAGE_UNAVAILABLE', retryAfter: 60 } });
    expect((await http.get('/api/memories')).status).toBe(200);
    const health = await fetch(`${app.url}/health`);
    expect(health.status).toBe(503);
    const text = await health.text();
    expect(JSON.parse(text)).toMatchObject({
      status: 'unhealthy',
      checks: { store: { status: 'down', detail: expect.stringContaining('removed or moved away') } },
    });
    expect(text + refused.text).not.toContain(path);
    const line = app.log.find((each) => each.includes('store_probe'));
    expect(line).toContain('STORE_FILE_REMOVED');
    renameSync(`${path}.away`, path);
    expect((await fetch(`${app.url}/health`)).status).toBe(200);
    expect((await http.post('/api/memories', { content: 'kept too' })).status).toBe(201);
  } finally {
    await app.close();
  }
});
