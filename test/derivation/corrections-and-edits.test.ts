import { describe, expect, it } from 'vitest';
import { deriveStepKey } from '../../src/domain/derivation/deriver.ts';
import { engines } from '../support/database.ts';
import { deriveAll } from '../support/derive.ts';
import { useApp, useClient } from '../support/use-app.ts';

interface Fact {
  readonly id: string;
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  readonly corrected?: boolean;
}

interface Entity {
  readonly id: string;
  readonly name: string;
  readonly type: string;
}

describe.each(engines)('what a person decided about derived records and an edit on %s', (engine) => {
  const app = useApp(engine);
  const http = useClient(app);

  const write = async (content: string) => {
    const { body } = await http.post<{ data: { id: string } }>('/api/memories', { content });
    await deriveAll(app.services);
    return body.data.id;
  };
  const edit = (id: string, content: string) => http.put(`/api/memories/${id}`, { content });
  const derive = () => deriveAll(app.services);
  const redo = async () => {
    await app.services.work.redo(deriveStepKey);
    await derive();
  };
  const factsOf = async (id: string) =>
    (await http.get<{ data: Fact[] }>(`/api/facts?memoryId=${id}`)).body.data;
  const said = async (id: string) =>
    (await factsOf(id)).map(({ subject, predicate, object }) => `${subject} ${predicate} ${object}`).sort();
  const entities = async () =>
    (await http.get<{ data: Entity[] }>('/api/entities?limit=100')).body.data
      .map(({ id, name, type }) => ({ id, name, type }))
      .sort((a, b) => (a.id < b.id ? -1 : 1));

  it.each([
    ['Marek uses Kafka for exports.', 'Kafka', 'Marek uses Kafka for exports. It rained.'],
    ['Ana lives in Porto.', 'Porto', 'Since May, Ana  lives in Porto with her cat!'],
    ['Ana lives in Porto.', 'Porto', 'Ana lives in Porto until May.'],
    ['The gateway timeout defaults to 30 seconds.', '30', 'Note! The gateway timeout defaults to 30 seconds'],
    ['Ana lives in Porto.', 'Porto', 'So: if Ana lives in Porto, then she is happy'],
  ])(
    'a corrected fact of "%s" stays as long as an edit leaves its words',
    async (content, object, edited) => {
      const id = await write(content);
      const fact = (await factsOf(id)).find((each) => each.object.includes(object));
      await http.put(`/api/facts/${fact?.id}`, { object: 'something else' });
      const corrected = await factsOf(id);
      expect(corrected).toMatchObject([{ id: fact?.id, object: 'something else', corrected: true }]);
      await edit(id, edited);
      expect(await factsOf(id)).toMatchObject([{ id: fact?.id, object: 'something else', corrected: true }]);
      await derive();
      expect(await factsOf(id)).toMatchObject([{ id: fact?.id, object: 'something else', corrected: true }]);
      await redo();
      expect(await factsOf(id)).toMatchObject([{ id: fact?.id, object: 'something else', corrected: true }]);
      await edit(id, content);
      await derive();
      expect(await factsOf(id)).toMatchObject([{ id: fact?.id, object: 'something else', corrected: true }]);
    },
  );

  it('a corrected fact stays once its words are more precise, and back', async () => {
    const id = await write('Olga rents an office in Brno.');
    const [fact] = await factsOf(id);
    await http.put(`/api/facts/${fact.id}`, { object: 'an office in Prague' });
    for (const content of ['Olga rents a small office in Brno.', 'Olga rents an office in Brno.']) {
      await edit(id, content);
      await derive();
      expect(await factsOf(id)).toMatchObject([
        { id: fact.id, object: 'an office in Prague', corrected: true },
      ]);
    }
  });

  it('a corrected fact goes with its words, and a longer name is not its words', async () => {
    const id = await write('Ana lives in Porto.');
    const [fact] = await factsOf(id);
    await http.put(`/api/facts/${fact.id}`, { object: 'Lisbon' });
    await edit(id, 'Ana lives in Porto Alegre.');
    expect(await said(id)).toEqual([]);
    await derive();
    expect(await said(id)).toEqual(['Ana lives in Porto Alegre']);
    await edit(id, 'Ana lives in Porto.');
    await derive();
    expect(await factsOf(id)).toMatchObject([{ id: fact.id, object: 'Lisbon' }]);
  });

  it('a deleted fact does not come back in the words of an edit', async () => {
    const id = await write('Ana lives in Porto. Ana works at Acme.');
    const fact = (await factsOf(id)).find(({ object }) => object === 'Porto');
    await http.delete(`/api/facts/${fact?.id}`);
    for (const content of [
      'Ana lives in Porto until May. Ana works at Acme.',
      'Ana lives in Porto near Ana.',
    ]) {
      await edit(id, content);
      await derive();
      expect((await said(id)).filter((text) => text.includes('Porto'))).toEqual([]);
      await redo();
      expect((await said(id)).filter((text) => text.includes('Porto'))).toEqual([]);
    }
  });

  it('entities stay named, typed, merged and deleted as a person left them', async () => {
    const text = 'Docker and Podman run in Lisbon. Marek uses Kafka.';
    const id = await write(text);
    const named = async (name: string) => (await entities()).find((each) => each.name === name)?.id;
    await http.patch(`/api/entities/${await named('Lisbon')}`, { name: 'Lisboa', type: 'PROJECT' });
    const merge = { sourceEntityId: await named('Docker'), targetEntityId: await named('Podman') };
    await http.post('/api/entities/merge', merge);
    await http.delete(`/api/entities/${await named('Kafka')}`);
    const decided = await entities();
    expect(decided.map(({ name }) => name).sort()).toEqual(['Lisboa', 'Marek', 'Podman']);
    for (const content of [
      `${text} It rained.`,
      'Marek: Kafka and Podman and Docker moved to Lisbon.',
      text,
    ]) {
      await edit(id, content);
      await derive();
      expect(await entities()).toEqual(decided);
      await redo();
      expect(await entities()).toEqual(decided);
    }
  });
});
