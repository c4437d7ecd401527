import type { Static } from 'typebox';
import type { TrashEntrySchema } from '../../http/routes/trash.ts';
import type { Service } from '../client/service.ts';
import type { Listed } from './print-page.ts';

export type TrashEntryRecord = Static<typeof TrashEntrySchema>;

const pageSize = 100;

/**
 * The entries whose own id, or whose record's, begins so; the last deleted first. Looks no further once it has `max`, or
 * one with the whole id.
 */
export async function findTrashEntries(
  service: Service,
  beginning: string,
  max: number,
): Promise<TrashEntryRecord[]> {
  const id = beginning.toLowerCase();
  const found: TrashEntryRecord[] = [];
  for (let offset = 0; ; offset += pageSize) {
    const { data, pagination } = await service.get<Listed<TrashEntryRecord>>('/api/trash', {
      limit: pageSize,
      offset,
    });
    const whole = data.find((entry) => entry.recordId === id || entry.id === id);
    if (whole) return [whole];
    found.push(...data.filter((entry) => entry.recordId.startsWith(id) || entry.id.startsWith(id)));
    if (found.length >= max || offset + pageSize >= pagination.count) return found.slice(0, max);
  }
}
