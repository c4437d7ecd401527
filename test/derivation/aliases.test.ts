import { describe, expect, it } from 'vitest';
import { deriveStepKey } from '../../src/domain/derivation/deriver.ts';
import { engines } from '../support/database.ts';
import { deriveAll } from '../support/derive.ts';
import { readRows } from '../support/run-statement.ts';
import { useApp, useClient } from '../support/use-app.ts';

interface Entity {
  readonly id: string;
  readonly name: string;
  readonly mergedEntities: readonly { readonly id: string; readonly name: string }[];
}

describe.each(engines)('other names of entities on %s', (engine) => {
  const app = useApp(engine);
  const http = useClient(app);

  async function shownFor(texts: readonly string[], name: string) {
    for (const content of texts) {
      await http.post('/api/memories', { content });
      await deriveAll(app.services);
    }
    const { body } = await http.get<{ data: { id: string } }>('/api/users/me');
    const rows = await readRows(
      { engine, url: app.databaseUrl },
      `SELECT e.name, c.name AS shown, e.merged_by FROM entities e
        JOIN entities c ON c.user_id = e.user_id AND c.id = e.canonical_id
        JOIN users u ON u.id = e.user_id WHERE u.public_id = '${body.data.id}'`,
    );
    const { shown, merged_by } = rows.find((row) => row.name === name) ?? {};
    return { shown, mergedBy: merged_by };
  }

  it('a name that is surely another name of an entity is shown as that entity', async () => {
    const texts = ['We use PostgreSQL for the ledger.', 'We use Postgres for the export.'];
    expect(await shownFor(texts, 'Postgres')).toEqual({ shown: 'PostgreSQL', mergedBy: null });
  });

  it('people are shown under the fullest name that is certain, whichever was met first', async () => {
    const texts = ['Thanks, Mel!', 'We met Mel in Porto.', 'Melanie: I moved to Lisbon.'];
    expect(await shownFor(texts, 'Mel')).toEqual({ shown: 'Melanie', mergedBy: 'rule' });
    expect(await shownFor(['Mel said that it was late.'], 'Melanie')).toEqual({
      shown: 'Melanie',
      mergedBy: null,
    });
  });

  it('a name that may be that of one entity only is merged by rule', async () => {
    const texts = ['Melanie: I moved to Lisbon.', 'Mel: I like it here.'];
    expect(await shownFor(texts, 'Mel')).toEqual({ shown: 'Melanie', mergedBy: 'rule' });
  });

  it('a merge by rule that a person took back is not made again, by later texts or by deriving everything again', async () => {
    const texts = ['Melanie: I moved to Lisbon.', 'Mel: I like it here.'];
    expect(await shownFor(texts, 'Mel')).toMatchObject({ mergedBy: 'rule' });
    const list = await http.get<{ data: Entity[] }>('/api/entities');
    const melanie = list.body.data.find(({ name }) => name === 'Melanie');
    const mel = melanie?.mergedEntities.find(({ name }) => name === 'Mel');
    const taken = await http.post<{ data: Entity }>('/api/entities/unmerge', { entityId: mel?.id });
    expect(taken.body.data).toMatchObject({ id: mel?.id, name: 'Mel' });
    const apart = { shown: 'Mel', mergedBy: 'person' };
    expect(await shownFor(['Mel: I met Melanie.'], 'Mel')).toEqual(apart);
    await app.services.work.redo(deriveStepKey);
    await deriveAll(app.services);
    expect(await shownFor([], 'Mel')).toEqual(apart);
    const after = await http.get<{ data: Entity[] }>('/api/entities');
    expect(after.body.data.find(({ name }) => name === 'Melanie')?.mergedEntities).toEqual([]);
  });

  it('a name that may be that of two entities stays by itself', async () => {
    const texts = ['Melanie: I moved to Lisbon.', 'Melissa: I moved to Rome.', 'Mel: I like it here.'];
    expect(await shownFor(texts, 'Mel')).toEqual({ shown: 'Mel', mergedBy: null });
  });
});
