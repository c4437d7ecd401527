import { idPrefixLengthMin, namePattern } from '../../domain/memories/memory.ts';
import type { DetailedMemoryRecord } from '../../http/routes/memories/memory-details.ts';
import type { MemoryRecord } from '../../http/schemas/memory.ts';
import type { Listed } from './listing.ts';
import { RefusedError, type Service } from './service.ts';

export interface FoundMemory {
  readonly memory: DetailedMemoryRecord;
  readonly etag: string | undefined;
}

const wholeId = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const idBeginning = new RegExp(`^[0-9a-f-]{${idPrefixLengthMin},36}$`, 'i');
const name = new RegExp(namePattern);
/** Maximum of candidates named in the error about an ambiguous beginning. */
const shownMax = 5;

/**
 * The memory of this id, name, or beginning of an id (6 characters at least), in this order.
 * @throws Error if there is none, or several match
 */
export async function findMemory(service: Service, reference: string): Promise<FoundMemory> {
  const found = wholeId.test(reference)
    ? await getOrNothing(service, reference)
    : ((await findByName(service, reference)) ?? (await findByBeginning(service, reference)));
  if (found) return found;
  throw new Error(
    `There is no memory with the id or the name ${reference}. Of an id at least ${idPrefixLengthMin} characters are needed.`,
  );
}

/** The id of such a memory. A whole id is not looked for: it may be that of a memory in the trash, or of none. */
export async function idOfMemory(service: Service, reference: string): Promise<string> {
  return wholeId.test(reference) ? reference.toLowerCase() : (await findMemory(service, reference)).memory.id;
}

/** @param place below /api/memories */
async function getOrNothing(service: Service, place: string): Promise<FoundMemory | undefined> {
  try {
    const { body, etag } = await service.ask({ path: `/api/memories/${place}?detail=full` });
    return { memory: body.data as DetailedMemoryRecord, etag };
  } catch (error) {
    if (error instanceof RefusedError && error.status === 404) return undefined;
    throw error;
  }
}

async function findByName(service: Service, reference: string): Promise<FoundMemory | undefined> {
  return name.test(reference) ? getOrNothing(service, `named/${reference}`) : undefined;
}

async function findByBeginning(service: Service, idPrefix: string): Promise<FoundMemory | undefined> {
  if (!idBeginning.test(idPrefix)) return undefined;
  const { data, pagination } = await service.get<Listed<MemoryRecord>>('/api/memories', {
    idPrefix,
    limit: shownMax,
  });
  const [memory] = data;
  if (data.length <= 1) return memory && getOrNothing(service, memory.id);
  throw new Error(
    `${pagination.count} memories have an id that begins with ${idPrefix}: ${data.map(({ id }) => id).join(', ')}`,
  );
}
