import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import { useApp } from '../support/use-app.ts';

const page = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');

describe.each(engines)('the metrics on %s', (engine) => {
  const app = useApp(engine);

  async function readMetrics(): Promise<string> {
    return (await fetch(`${app.url}/metrics`)).text();
  }

  it('metrics count users, and their memories that are not in the trash', async () => {
    expect(await readMetrics()).toContain(
      'memoryd_records{kind="users"} 0\nmemoryd_records{kind="memories"} 0',
    );
    const [ana, bo] = [await app.newClient(), await app.newClient()];
    const made = await ana.post<{ data: { id: string } }>('/api/memories', { content: 'one' });
    await ana.post('/api/memories', { content: 'two' });
    await bo.post('/api/memories', { content: 'three' });
    expect(await readMetrics()).toContain(
      'memoryd_records{kind="users"} 2\nmemoryd_records{kind="memories"} 3',
    );
    await ana.delete(`/api/memories/${made.body.data.id}`);
    expect(await readMetrics()).toContain('memoryd_records{kind="memories"} 2');
    const [first] = await app.services.users.list();
    await app.storage.users.erase(first);
    expect(await readMetrics()).toContain('memoryd_records{kind="users"} 1');
  });

  it('metrics time searches by the method that answered', async () => {
    const http = await app.newClient();
    const counted = async (method: string) => {
      const found = new RegExp(`memoryd_search_seconds_count\\{method="${method}"\\} (\\d+)`).exec(
        await readMetrics(),
      );
      return Number(found?.[1] ?? 0);
    };
    const before = await counted('keyword');
    await http.get('/api/memories/search?q=one&searchMethod=keyword');
    await http.post('/api/memories/search', { query: 'one', searchMethod: 'keyword' });
    expect(await counted('keyword')).toBe(before + 2);
  });

  it('metrics are all described in docs/operations.md, those of Node apart', async () => {
    const names = [...(await readMetrics()).matchAll(/^# HELP (\w+)/gm)].map(([, name]) => name);
    const own = names.filter((name) => !/^memoryd_(process|nodejs)_/.test(name));
    expect(own.length).toBeGreaterThan(10);
    expect(own.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});
