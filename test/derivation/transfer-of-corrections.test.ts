import { describe, expect, it } from 'vitest';
import { createServices, openStorage } from '../../src/container.ts';
import type { UserRef } from '../../src/domain/shared/user-ref.ts';
import type { StorageEngine } from '../../src/storage/engine.ts';
import type { TransferRecord } from '../../src/storage/transfer.ts';
import { type Engine, engines, newDatabase } from '../support/database.ts';
import { deriveAll } from '../support/derive.ts';
import { testConfig } from '../support/test-config.ts';

const page = { limit: 100, offset: 0 };

async function openStore(engine: Engine) {
  const database = await newDatabase(engine);
  const config = testConfig({ MEMORYD_DATABASE_URL: database.url });
  const storage = await openStorage(config, { exclusive: true });
  const services = createServices(config, storage);
  const close = async () => {
    await services.close();
    await storage.close();
    await database.drop();
  };
  return { storage, services, close };
}

type Store = Awaited<ReturnType<typeof openStore>>;

async function copied(from: StorageEngine, to: StorageEngine): Promise<UserRef> {
  const records: TransferRecord[] = [];
  await from.transfer.read({ user: 'ana', onProgress: () => undefined }, async (record) => {
    records.push(record);
  });
  async function* all() {
    yield* records;
  }
  await to.transfer.load(all(), { as: 'ana', at: 2 });
  const user = await to.users.findByName('ana');
  if (!user) throw new Error('The user is missing.');
  return user;
}

async function shown({ services }: Store, user: UserRef, memoryId: string) {
  const facts = await services.facts.list(user, {
    ...page,
    includeSuperseded: true,
    sortBy: 'createdAt',
    order: 'asc',
  });
  const entities = await services.entities.list(user, { ...page, sortBy: 'mentionCount', order: 'desc' });
  const edges = await services.relationships.list(user, memoryId, 'both', 100);
  const trash = await services.trash.list(user, page);
  return {
    facts: facts.items.map(({ id, object, isCorrected }) => ({ id, object, isCorrected })).sort(byId),
    entities: entities.items
      .map(({ id, name, type, isCorrected, merged }) => ({ id, name, type, isCorrected, merged }))
      .sort(byId),
    edges: edges.map(({ id, type }) => ({ id, type })).sort(byId),
    trash: trash.items.map(({ kind, recordId }) => `${kind} ${recordId}`).sort(),
  };
}

const byId = (a: { readonly id: string }, b: { readonly id: string }) => (a.id < b.id ? -1 : 1);

describe.each(engines)('what a person decided about derived records and an export on %s', (engine) => {
  it('an import into another store keeps it, also when the memories are derived there', async () => {
    const [source, target] = [await openStore(engine), await openStore(engine)];
    const { services, storage } = source;
    const ana = await storage.users.insert({ publicId: 'a', name: 'ana', email: 'a@example.test', at: 1 });
    let last = '';
    let moved = '';
    for (const content of [
      'Marek uses Kafka for the nightly export.',
      'Docker and Podman run in Lisbon.',
      'The gateway timeout defaults to 30 seconds.',
      'Olga lives in Porto.',
      'The gateway timeout defaults to 90 seconds now.',
    ]) {
      const written = await services.memories.create(ana, { content }, { conversationId: 'NEW' });
      last = written.memory.id;
      if (content.includes('Olga')) moved = last;
      await deriveAll(services);
    }
    const porto = (await shown(source, ana, last)).facts.find(({ object }) => object === 'Porto');
    await services.facts.update(ana, porto?.id ?? 'none', { object: 'Graz' });
    for (const content of ['Olga lives in Porto until May.', 'Hm! Olga lives in Porto for now.']) {
      await services.memories.update(ana, moved, { content });
      await deriveAll(services);
    }
    const derived = await shown(source, ana, last);
    const named = (name: string) => derived.entities.find((entity) => entity.name === name)?.id ?? name;
    const kafka = derived.facts.find(({ object }) => object.includes('Kafka'));
    await services.facts.delete(ana, kafka?.id ?? 'none');
    await services.entities.update(ana, named('Lisbon'), { name: 'Lisboa', type: 'PROJECT' });
    await services.entities.merge(ana, named('Docker'), named('Podman'));
    expect(derived.edges.map(({ type }) => type)).toEqual(['SUPERSEDES']);
    await services.relationships.delete(ana, last, derived.edges[0].id);
    const decided = await shown(source, ana, last);
    expect(decided.facts.map(({ id }) => id)).not.toContain(kafka?.id);
    expect(decided.facts).toContainEqual({ id: porto?.id, object: 'Graz', isCorrected: true });
    expect(decided.facts.map(({ object }) => object).join()).not.toContain('Porto');
    expect(decided.edges).toEqual([]);

    const copy = await copied(storage, target.storage);
    await deriveAll(target.services);
    expect(await shown(target, copy, last)).toEqual(decided);
    for (const id of (await target.services.trash.list(copy, page)).items.map((entry) => entry.id))
      await target.services.trash.restore(copy, id);
    await deriveAll(target.services);
    const back = await shown(target, copy, last);
    expect(back.facts.map(({ id }) => id)).toEqual(derived.facts.map(({ id }) => id));
    expect(back.edges).toEqual([]);
    expect(back.entities.map(({ id }) => id)).toEqual(derived.entities.map(({ id }) => id));
    await source.close();
    await target.close();
  });
});
