import { chunksOf } from '../../lib/chunks.ts';
import { entityNotFound, invalidInput } from '../shared/errors.ts';
import type { Write } from '../shared/write.ts';
import type { TrashEntry } from '../trash/trash.ts';
import type { Entity, MergedBy } from './entity.ts';

/** What the trash entry of a merge holds for its undoing; the record of the entry is the source. */
interface MergePayload {
  /** The source, and what was a part of it already. */
  readonly entityIds: readonly string[];
  /** Who had decided what the source is a part of before. */
  readonly mergedBy: MergedBy;
  /** The entry has the name of the target too, and goes with it when that is erased. */
  readonly targetId: string;
}

async function redirect({ tx }: Write, ids: readonly string[], canonicalId: string): Promise<void> {
  for (const chunk of chunksOf(ids)) await tx.entities.redirect(chunk, canonicalId);
}

/** Makes `source` a part of `target`, with an entry in the trash for undoing it. @throws 404, 422 when both are one */
export async function mergeEntities(write: Write, source: string, target: string): Promise<Entity> {
  const { tx, at } = write;
  const [from, into] = [await tx.entities.find(source), await tx.entities.find(target)];
  const row = from && (await tx.entities.findRow(from.id));
  if (!from || !into || !row) throw entityNotFound();
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
  if (!merged) throw entityNotFound();
  return merged;
}

/** Takes a merge that a person made back: the source is an entity of its own again, with what was a part of it. */
export async function undoMerge(write: Write, entry: TrashEntry): Promise<void> {
  const { tx, at } = write;
  const source = await tx.entities.findRow(entry.recordId);
  if (!source) throw entityNotFound();
  const { entityIds, mergedBy } = entry.payload as MergePayload;
  const shownAs = source.canonicalId;
  const later = await mergedLater(write, entry, entityIds);
  const moving = [];
  for (const { id } of await tx.entities.membersOf(shownAs))
    if (entityIds.includes(id) && !later.has(id)) moving.push(id);
  await redirect(write, moving, source.id);
  await tx.entities.setMergedBy(source.id, mergedBy, at);
}

/** Those of `ids` that were taken out of this merge and are by a later one where they are. */
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
 * Makes an entity that is shown as a part of another one of its own again, whoever merged it; no rule merges it again.
 * @throws 404, 422 where it is a part of none
 */
export async function unmergeEntity(write: Write, id: string): Promise<Entity> {
  const { tx, at } = write;
  const row = await tx.entities.findRow(id);
  if (!row || !(await tx.entities.find(id))) throw entityNotFound();
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
  if (!entity) throw entityNotFound();
  return entity;
}
