import { nodeKey, type Seed } from '../domain/graph/explore-graph.ts';
import { memoryNode } from '../domain/graph/graph-store.ts';
import { normaliseTopicName } from '../domain/topics/topic.ts';
import { nameKey } from '../lib/names.ts';
import { namesInQuery } from '../search/query/words/names-in-query.ts';
import type { SearchHit } from '../search/request.ts';
import type { IndexReader } from '../search-index/ports.ts';

/** A seed of a query and its origin. */
export interface QuerySeed extends Seed {
  readonly by: 'search' | 'name';
  /** Score in the search; only for a memory. */
  readonly score?: number;
}

/** Share of the random walk's starts that entities and topics named in the query get, if it names any. */
const namedShare = 0.4;
const namedMax = 10;

/**
 * Seeds of the random walk: the memories that the search found,
 * by score, and the entities and topics that the query names.
 */
export async function seedsOf(
  reader: IndexReader,
  query: string,
  hits: readonly SearchHit[],
): Promise<QuerySeed[]> {
  const { entityKeys, topicKeys } = namesInQuery(query);
  const [entities, topics] = await Promise.all([
    entityKeys.length === 0 ? [] : reader.derived.entitiesNamed(entityKeys, namedMax),
    topicKeys.length === 0 ? [] : reader.derived.topicsNamed(topicKeys, namedMax),
  ]);
  const named = [
    ...entities.map(({ id, name, type }) => ({
      kind: 'entity' as const,
      id,
      place: `${nameKey(name)} ${type}`,
    })),
    ...topics.map(({ id, name }) => ({ kind: 'topic' as const, id, place: normaliseTopicName(name) })),
  ];
  const share = named.length === 0 ? 0 : hits.length === 0 ? 1 : namedShare;
  const total = hits.reduce((sum, { score }) => sum + (score ?? 0), 0);
  const seeds = [
    ...hits.map(({ memory, score }): QuerySeed => {
      const part = total > 0 ? (score ?? 0) / total : 1 / hits.length;
      return {
        ...memoryNode(memory.id, memory.seq),
        by: 'search',
        score: score ?? 0,
        weight: (1 - share) * part,
      };
    }),
    ...named.map((node): QuerySeed => ({ ...node, by: 'name', weight: share / named.length })),
  ];
  const unique = new Map(seeds.map((seed) => [nodeKey(seed), seed]));
  return [...unique.values()].filter(({ weight }) => weight > 0);
}
