import { effectiveStates, memoryTypes } from '../../domain/memories/memory.ts';
import type { UserReaders } from '../../domain/shared/stores.ts';
import { normaliseTopicName, type TopicReader } from '../../domain/topics/topic.ts';
import { chunksOf } from '../../lib/collections.ts';
import { Breather } from '../../lib/loop-time.ts';
import type { UserIndex } from '../../search-index/rows/user-index.ts';
import type { FacetCount, Facets } from '../request.ts';

/** Values of a facet that may have any number of them: the most frequent. */
const valuesMax = 20;
/** Matches of which entities, roles and authors are counted. */
const storedMax = 10_000;

function byCount(a: FacetCount, b: FacetCount): number {
  return b.count - a.count || (a.value < b.value ? -1 : 1);
}

function counts(numbers: Uint32Array, nameOf: (number: number) => string): FacetCount[] {
  const found: FacetCount[] = [];
  for (let i = 0; i < numbers.length; i++)
    if (numbers[i] > 0) found.push({ value: nameOf(i), count: numbers[i] });
  return found.sort(byCount);
}

/**
 * Counts over all matching rows, the most frequent first; at most 20 entities, conversations and
 * topics, those that a client gave before derived ones. A memory counts once for each.
 */
export async function facetsOf(
  index: UserIndex,
  rows: ArrayLike<number>,
  readers: FacetReaders,
): Promise<Facets> {
  const topics = new Uint32Array(index.topicKeys.size);
  const types = new Uint32Array(memoryTypes.length);
  const states = new Uint32Array(effectiveStates.length);
  const conversations = new Uint32Array(index.conversations.size);
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i];
    types[index.columns.memoryType[row]]++;
    states[index.columns.effectiveState[row]]++;
    conversations[index.columns.conversation[row]]++;
    for (let of = 0; of < index.topics.countOf(row); of++) topics[index.topics.at(row, of)]++;
  }
  const found = await countDerived(index, rows, readers.topics, topics);
  return {
    topics: [...counts(topics, (topic) => index.topicNames[topic]), ...found.sort(byCount)].slice(
      0,
      valuesMax,
    ),
    memoryType: counts(types, (type) => memoryTypes[type]),
    effectiveState: counts(states, (state) => effectiveStates[state]),
    conversationId: await titled(
      counts(conversations, (number) => index.conversations.value(number)).slice(0, valuesMax),
      readers,
    ),
    ...(await countStored(index, rows, readers)),
  };
}

type FacetReaders = Pick<UserReaders, 'topics' | 'entities' | 'memories' | 'conversations'>;

async function titled(found: readonly FacetCount[], { conversations }: FacetReaders): Promise<FacetCount[]> {
  const known = await conversations.findMany(found.map(({ value }) => value));
  const titles = new Map(known.map(({ id, title }) => [id, title]));
  return found.map((facet) => ({ ...facet, label: titles.get(facet.value) }));
}

/**
 * Facets without a column in the index: the store counts them, in pieces with other work between. More than
 * `storedMax` matches took 2.4 s for 100,000 with 200,000 mentions; nothing is counted of them.
 */
async function countStored(
  index: UserIndex,
  rows: ArrayLike<number>,
  { entities, memories }: FacetReaders,
): Promise<Pick<Facets, 'entityId' | 'role' | 'createdBy'>> {
  if (rows.length > storedMax) return { entityId: [], role: [], createdBy: [] };
  const named = new Map<string, { value: string; label: string; count: number }>();
  const roles = new Map<string, { value: string; count: number }>();
  const keys = new Map<string, { value: string; label: string; count: number }>();
  const breather = new Breather();
  for (const chunk of chunksOf(Array.from(rows, (row) => index.columns.docs[row]))) {
    await breather.pause();
    for (const { id, name, count } of await entities.countByVersions(chunk))
      named.set(id, { value: id, label: name, count: count + (named.get(id)?.count ?? 0) });
    for (const { role, count } of await memories.countRoles(chunk))
      roles.set(role, { value: role, count: count + (roles.get(role)?.count ?? 0) });
    for (const { author, count } of await memories.countAuthors(chunk)) {
      const { keyId, label } = author;
      keys.set(keyId, { value: keyId, label, count: count + (keys.get(keyId)?.count ?? 0) });
    }
  }
  return {
    entityId: [...named.values()].sort(byCount).slice(0, valuesMax),
    role: [...roles.values()].sort(byCount),
    createdBy: [...keys.values()].sort(byCount).slice(0, valuesMax),
  };
}

/** Adds derived topics that a client gave to other memories to `given`. @returns the counts of all others */
async function countDerived(
  index: UserIndex,
  rows: ArrayLike<number>,
  derived: Pick<TopicReader, 'listDerived'>,
  given: Uint32Array,
): Promise<FacetCount[]> {
  const others = new Map<string, { value: string; count: number; derived: true }>();
  const breather = new Breather();
  for (const chunk of chunksOf(Array.from(rows))) {
    await breather.pause();
    const namesOf = await derived.listDerived(chunk.map((row) => index.columns.docs[row]));
    for (const row of chunk) {
      for (const name of namesOf.get(index.columns.docs[row]) ?? []) {
        const key = normaliseTopicName(name);
        const topic = index.topicKeys.find(key);
        if (topic < 0) {
          const entry = others.get(key) ?? { value: name, count: 0, derived: true };
          entry.count++;
          others.set(key, entry);
        } else if (!index.topics.hasAny(row, new Set([topic]))) given[topic]++;
      }
    }
  }
  return [...others.values()];
}
