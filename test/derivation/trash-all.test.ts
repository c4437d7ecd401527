import { expect, it } from 'vitest';
import { newAppFixture } from '../support/app-fixture.ts';
import { engines } from '../support/database.ts';
import { deriveAll } from '../support/derive.ts';
import type { Client } from '../support/http-client.ts';
import { readRows } from '../support/run-statement.ts';

interface List {
  readonly data: readonly { readonly id: string }[];
}

/** All that is derived from texts, and what is computed from that. */
const derivedTables = [
  'derivations',
  'entities',
  'entity_mentions',
  'facts',
  'fact_mentions',
  'fact_entities',
  'topics',
  'topic_words',
  'derived_topics',
  'named_times',
  'memory_edges',
  'edge_candidates',
  'communities',
  'community_topics',
];
const texts = [
  'Ana: I moved to Lisbon last week and use Kafka for the nightly export.',
  'Marek uses Kafka for the nightly export in Lisbon.',
  'Marek uses Podman for the nightly export in Lisbon.',
  'The gateway timeout defaults to 30 seconds.',
  'The gateway timeout defaults to 90 seconds now.',
  'The gateway timeout was set to 45 seconds for the nightly export.',
];
const lists = ['/api/entities', '/api/facts', '/api/topics', '/api/topics/communities'];

async function shown(http: Client): Promise<Record<string, string[]>> {
  const ids: Record<string, string[]> = {};
  for (const path of lists) {
    const { status, body } = await http.get<List>(path);
    expect([path, status]).toEqual([path, 200]);
    ids[path] = body.data.map(({ id }) => id).sort();
  }
  return ids;
}

it.each(engines)(
  'with all memories in the trash nothing derived is shown, restored it is as before with its ids, and erased no row is left on %s',
  async (engine) => {
    const app = await newAppFixture(engine);
    const http = await app.newClient();
    const tables = async () => {
      const found: Record<string, string[]> = {};
      for (const table of derivedTables) {
        const rows = await readRows({ engine, url: app.databaseUrl }, `SELECT * FROM ${table}`);
        found[table] = rows.map((row) => JSON.stringify(row)).sort();
      }
      return found;
    };
    const ids: string[] = [];
    for (const content of texts) {
      const { body } = await http.post<{ data: { id: string } }>('/api/memories', { content });
      ids.push(body.data.id);
      await deriveAll(app.services);
    }
    await http.post('/api/topics/detect-communities', { algorithm: 'louvain' });
    const [before, rowsBefore] = [await shown(http), await tables()];
    for (const path of lists) expect([path, before[path].length > 0]).toEqual([path, true]);
    for (const table of derivedTables) expect([table, rowsBefore[table].length > 0]).toEqual([table, true]);

    for (const id of ids) await http.delete(`/api/memories/${id}`);
    await deriveAll(app.services);
    expect(await shown(http)).toEqual(Object.fromEntries(lists.map((path) => [path, []])));
    const entries = async () => (await http.get<List>('/api/trash?limit=100')).body.data;
    for (const { id } of await entries())
      expect((await http.post(`/api/trash/${id}/restore`)).status).toBe(200);
    await deriveAll(app.services);
    expect(await shown(http)).toEqual(before);
    const identities = (rows: Record<string, string[]>) =>
      Object.fromEntries(Object.entries(rows).map(([table, all]) => [table, all.length]));
    expect(identities(await tables())).toEqual(identities(rowsBefore));

    for (const id of ids) await http.delete(`/api/memories/${id}`);
    for (const { id } of await entries()) expect((await http.delete(`/api/trash/${id}`)).status).toBe(204);
    await deriveAll(app.services);
    const left = Object.entries(await tables()).filter(([, rows]) => rows.length > 0);
    expect(left).toEqual([]);
    await app.close();
  },
);
