import { randomUUID } from 'node:crypto';
import type { Random } from '../support/random.ts';
import { checkFields, checkRecord, type MemoryBody } from './model-checks.ts';
import { memoryTypes, type Operation, type Step, topicNames } from './model-step.ts';
import type { World } from './model-world.ts';
import { demand } from './proof.ts';

interface BulkResponse {
  failed: number;
  errors: { id: string; error: string }[];
}

/** Requests on many ids at once, some of them deleted or unknown. */
export const bulkOperations: Readonly<Record<string, Operation>> = {
  batch: readBatch,
  bulkTag,
  bulkUpdate,
  bulkDelete,
};

async function readBatch({ http, world, random }: Step): Promise<void> {
  const ids = pickIds(world, random);
  const reply = await http.post<{
    data: MemoryBody[];
    meta: { requested: number; found: number; missing: string[] };
  }>('/api/memories/batch', { ids });
  demand(reply.status === 200, `batch answers ${reply.status}`, reply.text);
  const { present, missing } = divide(world, ids);
  const { data, meta } = reply.body;
  const seen = { ids: data.map((memory) => memory.id), ...meta };
  const target = { ids: present, requested: ids.length, found: present.length, missing };
  demand(
    JSON.stringify(seen.ids) === JSON.stringify(target.ids) &&
      JSON.stringify(seen.missing) === JSON.stringify(target.missing) &&
      seen.found === target.found &&
      seen.requested === target.requested,
    'batch differs (seen, then expected)',
    seen,
    target,
  );
  for (const memory of data) {
    const expected = world.memories.get(memory.id);
    if (expected) checkFields(world, expected, memory);
  }
}

async function bulkTag({ http, world, random }: Step): Promise<void> {
  const ids = pickIds(world, random);
  const addTopics = random.sample(topicNames, random.int(1, 2));
  const removeTopics = random.sample(topicNames, 2).filter((topic) => !addTopics.includes(topic));
  const reply = await http.post<BulkResponse & { modified: number }>('/api/memories/bulk-tag', {
    ids,
    addTopics,
    removeTopics,
  });
  checkBulk(world, ids, { ...reply, changed: reply.body.modified });
  for (const id of ids) {
    const memory = world.memories.get(id);
    if (!memory) continue;
    const kept = memory.topics.filter((topic) => !removeTopics.includes(topic));
    memory.topics = [...new Set([...kept, ...addTopics])];
  }
  for (const id of ids) await checkRecord(http, world, id);
}

async function bulkUpdate({ http, world, random }: Step): Promise<void> {
  const ids = pickIds(world, random);
  const topics = random.sample(topicNames, random.int(0, 2));
  const memoryType = random.pick(memoryTypes);
  const updates = random.pick([{ topics }, { memoryType }, { topics, memoryType }]);
  const reply = await http.post<BulkResponse & { updated: number }>('/api/memories/bulk-update', {
    ids,
    updates,
  });
  checkBulk(world, ids, { ...reply, changed: reply.body.updated });
  for (const id of ids) {
    const memory = world.memories.get(id);
    if (memory) Object.assign(memory, updates);
  }
  for (const id of ids) await checkRecord(http, world, id);
}

async function bulkDelete({ http, world, random }: Step): Promise<void> {
  const ids = pickIds(world, random).slice(0, 3);
  const unconfirmed = await http.delete('/api/memories/bulk', { ids, confirmDeletion: false });
  demand(unconfirmed.status === 422, `an unconfirmed deletion answers ${unconfirmed.status}`);
  for (const id of ids) await checkRecord(http, world, id);
  const reply = await http.delete<BulkResponse & { deleted: number }>('/api/memories/bulk', {
    ids,
    confirmDeletion: true,
  });
  checkBulk(world, ids, { ...reply, changed: reply.body.deleted });
  for (const id of ids) world.remove(id);
  for (const id of ids) await checkRecord(http, world, id);
}

function checkBulk(
  world: World,
  ids: readonly string[],
  reply: { status: number; text: string; body: BulkResponse; changed: number },
): void {
  demand(reply.status === 200, `a bulk operation answers ${reply.status}`, reply.text);
  const { present, missing } = divide(world, ids);
  demand(reply.changed === present.length, 'a bulk operation counts wrongly', reply.text, present);
  demand(reply.body.failed === missing.length, 'a bulk operation counts failures wrongly', reply.text);
  const failed = reply.body.errors.map((error) => error.id).toSorted();
  demand(JSON.stringify(failed) === JSON.stringify(missing.toSorted()), 'errors name other ids', reply.text);
}

function divide(world: World, ids: readonly string[]): { present: string[]; missing: string[] } {
  const present = ids.filter((id) => world.memories.has(id));
  return { present, missing: ids.filter((id) => !world.memories.has(id)) };
}

function pickIds(world: World, random: Random): string[] {
  const ids = random.sample([...world.memories.keys()], random.int(1, 6));
  if (random.chance(0.3)) ids.push(...random.sample(world.deletedIds, 1));
  if (random.chance(0.3) || ids.length === 0) ids.push(randomUUID());
  return ids;
}
