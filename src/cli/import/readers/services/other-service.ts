import { LRUCache } from 'lru-cache';
import { type ApiClient, describe, RequestAbandonedError } from '../../../client/api-client.ts';
import type { Fields, ImportRecord, Reader } from '../reader.ts';
import { isFields, textOf } from '../shared/fields.ts';
import { factOf, type Known, memoryOf, newKnown, ownId } from './archive.ts';

const pageSize = 100;
/** Memories of a narrative that are held at a time; further ones are left out. */
const threadLengthMax = 10_000;

/**
 * A user of another service of this API, memoryd or the hosted one, read through its public endpoints with one of the
 * user's keys. It is no format of a file, so it does not stand in the table of readers.
 */
export function otherService(api: ApiClient): Reader {
  return {
    format: 'memoryd',
    title: 'a service of this API',
    isOwn: true,
    recognises: () => Promise.resolve(true),
    async *read() {
      const known = newKnown();
      for await (const conversation of listOf(api, '/api/conversations'))
        known.conversations.set(String(conversation.id), conversation);
      yield* memories(api, known);
      yield* pointing(api, known);
      yield* narratives(api, known);
    },
  };
}

/** Memories of the user there, for the progress. */
export async function countMemories(api: ApiClient): Promise<number> {
  const { body } = await api.send({ path: '/api/memories?limit=1' });
  const { count } = (body.pagination ?? {}) as { count?: unknown };
  return typeof count === 'number' ? count : 0;
}

/** All records of a list, a page at a time. @throws RequestAbandonedError */
async function* listOf(
  api: ApiClient,
  path: string,
  query: Readonly<Record<string, string>> = {},
): AsyncGenerator<Fields> {
  let firstBefore: string | undefined;
  for (let offset = 0; ; ) {
    const parameters = new URLSearchParams({ ...query, limit: String(pageSize), offset: String(offset) });
    const data = await dataOf(api, `${path}?${parameters}`);
    const first = JSON.stringify(data[0]);
    // A page of long texts may be shorter than asked for; a list that is not paged comes again as it was.
    if (data.length === 0 || first === firstBefore) return;
    firstBefore = first;
    offset += data.length;
    for (const value of data) if (isFields(value)) yield value;
  }
}

async function dataOf(api: ApiClient, path: string): Promise<readonly unknown[]> {
  const response = await api.send({ path });
  const { versions, data = versions } = response.body;
  if (response.status !== 200 || !Array.isArray(data))
    throw new RequestAbandonedError(`${api.url}${path}: ${describe(response)}`);
  return data;
}

const inOrder = { sortBy: 'createdAt', order: 'asc' };
const isEarlierVersion = (memory: Fields) =>
  memory.version !== undefined && textOf(memory.name) === undefined;

async function* memories(api: ApiClient, known: Known): AsyncGenerator<ImportRecord> {
  for await (const memory of listOf(api, '/api/memories', inOrder)) {
    const at = `memory ${String(memory.id)}`;
    const name = textOf(memory.name);
    if (name !== undefined) yield* versionsOf(api, memory, { at, name, known });
    else if (!isEarlierVersion(memory)) yield* memoryOf(asCurrent(memory), at, known);
    yield { kind: 'read', size: 1 };
  }
}

/** Its relationships, which come too, decide about its state here. */
const asCurrent = (memory: Fields): Fields => ({ ...memory, effectiveState: 'current' });

interface Named {
  readonly at: string;
  readonly name: string;
  readonly known: Known;
}

/** The versions of a named memory, the first one first. */
async function* versionsOf(
  api: ApiClient,
  newest: Fields,
  { at, name, known }: Named,
): AsyncGenerator<ImportRecord> {
  const versions: Fields[] = [];
  for await (const version of listOf(api, `/api/memories/named/${encodeURIComponent(name)}/history`))
    versions.push(version.id === newest.id ? newest : version);
  for (const version of versions.reverse()) yield* memoryOf({ ...asCurrent(version), name }, at, known);
}

const idIn = ({ memories: ids }: Known, id: unknown) => ids.get(String(id)) ?? `memoryd:${String(id)}`;

/** Records that point at memories. Relationships are asked for memory by memory, once all external ids are known. */
async function* pointing(api: ApiClient, known: Known): AsyncGenerator<ImportRecord> {
  const isSeen = new LRUCache<string, true>({ max: 10_000 });
  for await (const fact of listOf(api, '/api/facts', { includeSuperseded: 'true' }))
    yield factOf(fact, `fact ${String(fact.id)}`, known);
  for await (const artifact of listOf(api, '/api/artifacts')) {
    const { content, type, name, description, metadata, memoryId } = artifact;
    yield {
      kind: 'artifact',
      at: `artifact ${String(artifact.id)}`,
      ...(memoryId !== undefined && { memory: idIn(known, memoryId) }),
      externalId: ownId(artifact),
      body: { content, type, name, description, metadata },
    };
  }
  for await (const { id } of listOf(api, '/api/memories', inOrder)) {
    const path = `/api/memories/${String(id)}/relationships?direction=outgoing`;
    for (const found of await dataOf(api, path)) {
      if (!isFields(found) || isSeen.has(String(found.id))) continue;
      isSeen.set(String(found.id), true);
      yield relationshipOf(found, known);
    }
  }
}

/** A relationship that somebody stated; the service finds the others again. */
function relationshipOf(found: Fields, known: Known): ImportRecord {
  const { id, type, reason, creationMethod = 'manual', sourceMemoryId, targetMemoryId } = found;
  if (creationMethod !== 'manual')
    return { kind: 'leftOut', reason: 'derived relationship, derived again here' };
  return {
    kind: 'relationship',
    at: `relationship ${String(id)}`,
    from: idIn(known, sourceMemoryId),
    to: idIn(known, targetMemoryId),
    type: String(type),
    reason: textOf(reason),
  };
}

async function* narratives(api: ApiClient, known: Known): AsyncGenerator<ImportRecord> {
  for await (const narrative of listOf(api, '/api/narratives')) {
    const { id, title, state, topics, resolutionMemoryId, updatedAt } = narrative;
    const members: Fields[] = [];
    for await (const { memory } of listOf(api, `/api/narratives/${String(id)}/timeline`)) {
      if (isFields(memory)) members.push(memory);
      if (members.length === threadLengthMax) break;
    }
    if (members.length === 0) yield { kind: 'leftOut', reason: 'narrative without memories' };
    else
      yield {
        kind: 'narrative',
        at: `narrative ${String(id)}`,
        title: String(title),
        memories: members.map((memory) => idIn(known, memory.id)),
        topics: statedTopics(topics, members),
        state: textOf(state) ?? 'open',
        ...(resolutionMemoryId !== undefined && { resolution: idIn(known, resolutionMemoryId) }),
        updatedAt: textOf(updatedAt),
      };
  }
}

/** Undefined for those of its memories, which the service shows where none were stated. */
function statedTopics(topics: unknown, members: readonly Fields[]): string[] | undefined {
  if (!Array.isArray(topics)) return undefined;
  const ofMembers = members.flatMap((memory) => (Array.isArray(memory.topics) ? memory.topics : []));
  const isDerived = JSON.stringify(topics) === JSON.stringify([...new Set(ofMembers)]);
  return isDerived ? undefined : topics.map(String);
}
