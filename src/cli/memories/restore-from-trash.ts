import { Service } from '../client/service.ts';
import type { AskOptions } from '../client/service-options.ts';
import { type Print, printJson } from '../output/print-list.ts';
import { printableLine } from '../output/printable.ts';
import { findTrashEntries, type TrashEntryRecord } from './trash-entries.ts';

const shownMax = 5;
/** Some kinds of records have their kind in their ids. */
const recordId = /^(?:[a-z]+_)?[0-9a-f-]{6,36}$/i;

/** Whether a text may be the id of a record of any kind, or the beginning of one. */
export function isRecordId(text: string): boolean {
  return recordId.test(text);
}

/**
 * Restores a deleted record.
 * @param id of the record or of its entry, or the beginning of one
 * @throws Error if nothing in the trash, or more than one entry, has this id
 */
export async function restoreFromTrash(id: string, options: AskOptions, print: Print): Promise<void> {
  const service = new Service(options);
  const entry = await findOne(service, id);
  const { body } = await service.ask({ method: 'POST', path: `/api/trash/${entry.id}/restore`, body: {} });
  if (options.json) printJson(print, body);
  else print(`Restored the ${entry.kind} ${entry.recordId}: ${printableLine(entry.title)}`);
}

async function findOne(service: Service, id: string): Promise<TrashEntryRecord> {
  const [entry, ...others] = await findTrashEntries(service, id, shownMax);
  if (!entry)
    throw new Error(`Nothing in the trash has the id ${id}. \`npx memoryd trash\` lists what is there.`);
  if (others.length === 0) return entry;
  const ids = [entry, ...others].map(({ kind, recordId }) => `${kind} ${recordId}`);
  throw new Error(`Several ids in the trash begin with ${id}: ${ids.join(', ')}`);
}
