import { chunksOf } from '../../lib/collections.ts';
import { invalidInput, notFound } from '../shared/errors.ts';
import type { Write } from '../shared/write.ts';
import type { TrashEntry } from '../trash/trash.ts';
import type { TrashHandler } from '../trash/trash-handler.ts';
import type { Entity, MergedBy } from './entity.ts';

/** Payload of a merge's trash entry, for undoing it; the record of the entry is the source. */
interface MergePayload {
  /** The source and the entities merged into it before. */
  readonly entityIds: readonly string[];
  /** Origin of the source's previous merge. */
  readonly mergedBy: MergedBy;
  /** The title contains the name of the target, so the entry is deleted when the target is erased. */
  readonly targetId: string;
}

async function redirect({ tx }: Write, ids: readonly string[], canonicalId: string): Promise<void> {
  for (const chunk of chunksOf(ids)) await tx.entities.redirect(chunk, canonicalId);
}

/**
 * Merges `source` into `target`, with a trash entry for undoing
 * it. @throws 404; 422 if both ids name the same entity
 */
export async function mergeEntities(write: Write, source: string, target: string): Promise<Entity> {
  const { tx, at } = write;
  const [from, into] = [await tx.entities.find(source), await tx.entities.find(target)];
  const row = from && (await tx.entities.findRow(from.id));
  if (!from || !into || !row) throw notFound('entity');
  if (from.id === into.id)
    throw invalidInput('targetEntityId', 'must name another entity than sourceEntityId');
  const entityIds = (await tx.entities.membersOf(from.id)).map(({ id }) => id);
  const payload: MergePayload = { entityIds, mergedBy: row.mergedBy, targetId: into.id };
  const title = `${from.name} merged into ${into.name}`;
  const entry = { kind: 'entity-merge', recordId: from.id, title, counts: { entities: 1 }, payload } as const;
  await tx.trash.insert(entry, at);
  await redirect(write, entityIds, into.id);
  await tx.entities.setMergedBy(from.id, 'person', at);
  const merged = await tx.entities.find(into.id);
  if (!merged) throw notFound('entity');
  return merged;
}

/** Undoes a merge by a person: the source is separate again, with the entities merged into it before. */
async function undoMerge(write: Write, entry: TrashEntry): Promise<void> {
  const { tx, at } = write;
  const source = await tx.entities.findRow(entry.recordId);
  if (!source) throw notFound('entity');
  const { entityIds, mergedBy } = entry.payload as MergePayload;
  const shownAs = source.canonicalId;
  const later = await mergedLater(write, entry, entityIds);
  const moving = [];
  for (const { id } of await tx.entities.membersOf(shownAs))
    if (entityIds.includes(id) && !later.has(id)) moving.push(id);
  await redirect(write, moving, source.id);
  await tx.entities.setMergedBy(source.id, mergedBy, at);
}

/** The ids that were separated from this merge and then merged again on their own. */
async function mergedLater({ tx }: Write, entry: TrashEntry, ids: readonly string[]): Promise<Set<string>> {
  const later = new Set<string>();
  for (const id of ids) {
    if (id === entry.recordId) continue;
    const own = await tx.trash.findByRecord('entity-merge', id);
    if (own && own.rev > entry.rev)
      for (const moved of (own.payload as MergePayload).entityIds) later.add(moved);
  }
  return later;
}

/**
 * Separates an entity from the one that it was merged into, by a person or a rule; no rule merges it again.
 * @throws 404; 422 if it is not merged
 */
export async function unmergeEntity(write: Write, id: string): Promise<Entity> {
  const { tx, at } = write;
  const row = await tx.entities.findRow(id);
  if (!row || !(await tx.entities.find(id))) throw notFound('entity');
  if (row.canonicalId === id)
    throw invalidInput('entityId', 'must be the id of an entity that is part of another: see mergedEntities');
  const entry = await tx.trash.findByRecord('entity-merge', id);
  if (entry) {
    await undoMerge(write, entry);
    await tx.trash.remove(entry.id);
  } else {
    await tx.entities.redirect([id], id);
  }
  await tx.entities.setMergedBy(id, 'person', at);
  const entity = await tx.entities.find(id);
  if (!entity) throw notFound('entity');
  return entity;
}

/** Entities in the trash. A restored entity is visible while a live memory mentions it. */
export const entityTrash: TrashHandler = {
  async restore({ tx }, { recordId }) {
    await tx.entities.restore(recordId);
    return { entities: 1 };
  },
  // The row stays, hidden: derivation would otherwise find the entity again.
  async eraseStep({ tx }, { recordId }) {
    await tx.entities.erase(recordId);
    return false;
  },
};

/** Merges of entities in the trash: restoring one undoes the merge. */
export const entityMergeTrash: TrashHandler = {
  async restore(write, entry) {
    await undoMerge(write, entry);
    return { entities: 1 };
  },
  // A merge has no text of deleted memories: both names belong to the memories that mention them.
  eraseStep: async () => false,
};
