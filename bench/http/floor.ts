/**
 * The floor that `bench/http.ts` compares with: a bare Fastify route over one SQLite table and one FTS5 index,
 * with the same durability and grouped commits, without keys, users, validation, versions or topics.
 * Usage: node floor.mjs FOLDER, as `processes.ts` compiles it. Prints its URL. Each store of a path is a file of its own.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import fastify from 'fastify';
import { type CreateBody, FloorStore } from './floor-store.ts';

const folder = process.argv[2];
if (!folder) throw new Error('usage: tsx bench/http/floor.ts FOLDER');

const stores = new Map<string, FloorStore>();
function storeOf(name: string): FloorStore {
  let store = stores.get(name);
  if (!store) {
    store = new FloorStore(join(folder ?? '', `${name}.db`));
    stores.set(name, store);
  }
  return store;
}

interface StoreParams {
  Params: { store: string };
}

const app = fastify({ bodyLimit: 64 * 1024 * 1024 });

app.post<StoreParams & { Body: CreateBody }>('/:store/memories', async (request, reply) => {
  const row = await storeOf(request.params.store).create(randomUUID(), request.body);
  return reply.code(201).send({ data: row });
});

app.get<{ Params: { store: string; id: string } }>('/:store/memories/:id', async (request) => ({
  data: storeOf(request.params.store).get(request.params.id),
}));

app.post<StoreParams & { Body: { query: string } }>('/:store/search', async (request) => ({
  data: storeOf(request.params.store).search(request.body.query),
}));

app.post<StoreParams & { Body: { query: string; vector: string } }>('/:store/hybrid', async (request) => ({
  data: storeOf(request.params.store).searchBoth(request.body.query, request.body.vector),
}));

app.post<StoreParams & { Body: CreateBody[] }>('/:store/bulk', async (request) => ({
  count: storeOf(request.params.store).createAll(request.body),
}));

app.post<StoreParams>('/:store/optimize', async (request) => {
  storeOf(request.params.store).optimize();
  return {};
});

process.on('SIGTERM', async () => {
  await app.close();
  for (const store of stores.values()) store.close();
});

console.log(await app.listen({ host: '127.0.0.1', port: 0 }));
