import { beforeEach, describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import { deriveAll } from '../support/derive.ts';
import { useApp, useClient } from '../support/use-app.ts';

interface FactBody {
  readonly id: string;
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  readonly confidence: number;
}

describe.each(engines)('derivation of memories on %s', (engine) => {
  const app = useApp(engine);
  const http = useClient(app);
  beforeEach(() => deriveAll(app.services));

  const write = async (content: string, fields: object = {}) =>
    (await http.post<{ data: { id: string } }>('/api/memories', { content, ...fields })).body.data.id;
  const facts = async () => (await http.get<{ data: FactBody[] }>('/api/facts')).body.data;

  it('facts of a memory are there once it is derived, and found by their words', async () => {
    await write('Ana: I moved to Lisbon in March and work for Nordlicht now.');
    await deriveAll(app.services);
    const words = (await facts()).map(
      ({ subject, predicate, object }) => `${subject} ${predicate} ${object}`,
    );
    expect(words.sort()).toEqual(['Ana moved to Lisbon', 'Ana work for Nordlicht']);
    const found = await http.post('/api/facts/search', { query: 'Lisbon' });
    expect(JSON.stringify(found.body)).toContain('Lisbon');
  });

  it('the same fact of two memories is one, and surer than either', async () => {
    await write('Marek uses Kafka for the ledger.');
    await deriveAll(app.services);
    const [before] = await facts();
    await write('Marek uses Kafka, as he said.');
    await deriveAll(app.services);
    const [after, ...others] = await facts();
    expect(others).toEqual([]);
    expect(after.id).toBe(before.id);
    expect(after.confidence).toBeGreaterThan(before.confidence);
  });

  it('facts go to the trash with their memory and come back with the same ids', async () => {
    const id = await write('The gym closes at ten.');
    await deriveAll(app.services);
    const before = await facts();
    expect(before).not.toEqual([]);
    await http.delete(`/api/memories/${id}`);
    expect(await facts()).toEqual([]);
    const { body } = await http.get<{ data: { id: string }[] }>('/api/trash');
    for (const entry of body.data) await http.post(`/api/trash/${entry.id}/restore`, {});
    expect((await facts()).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  });
});
