import type {
  ConceptLinks,
  ConceptName,
  GraphLink,
  GraphNode,
  GraphReader,
  TopicsOfMemories,
} from '../../../domain/graph/graph-store.ts';
import { groupBy } from '../../../lib/group-by.ts';
import { join } from '../core/joins.ts';
import { listArguments, listQuery } from '../core/list-query.ts';
import type { UserDatabase } from '../core/user-database.ts';
import { UserQuery } from '../core/user-query.ts';
import { linksOfConcept } from './concept-links.ts';
import { namesOf } from './concept-names.ts';
import { linksOfMemories } from './memory-links.ts';

interface MemoryRow {
  readonly seq: number;
  readonly id: string;
  readonly doc: number;
}

/** In two steps, since an engine without statistics would read all topics of the user for each page. */
const memoriesBefore = new UserQuery<{ before: number; limit: number }, MemoryRow>(
  (tables, { before, limit }) =>
    tables
      .selectFrom('memories')
      .where('memories.seq', '<', before)
      .where(tables.liveMemory())
      .orderBy('memories.seq', 'desc')
      .limit(limit)
      .select(['memories.seq', 'memories.id', 'memories.doc']),
);

const clientTopics = listQuery<string, { of: string; topic_id: string }>((tables, ids) =>
  tables
    .selectFrom('memory_topics')
    .$call(join('topics', 'memory_topics.topic_id'))
    .where('memory_topics.memory_id', 'in', ids)
    .select(['memory_topics.memory_id as of', 'topics.canonical_id as topic_id']),
);

const derivedTopics = listQuery<number, { of: number; topic_id: string }>((tables, docs) =>
  tables
    .selectFrom('derived_topics')
    .$call(join('topics', 'derived_topics.topic_id'))
    .where('derived_topics.doc', 'in', docs)
    .select(['derived_topics.doc as of', 'topics.canonical_id as topic_id']),
);

const topicsAfterId = new UserQuery<{ after: string; limit: number }, { id: string; name: string }>(
  (tables, { after, limit }) =>
    tables
      .selectFrom('topics')
      .where('id', '>', after)
      .whereRef('canonical_id', '=', 'id')
      .orderBy('id')
      .limit(limit)
      .select(['id', 'normalized_name as name']),
);

export class SqlGraphReader implements GraphReader {
  readonly #db: UserDatabase;

  constructor(db: UserDatabase) {
    this.#db = db;
  }

  async topicsOfMemories(before: number, memoriesMax: number): Promise<TopicsOfMemories> {
    const rows = await this.#db.all(memoriesBefore, { before, limit: memoriesMax });
    if (rows.length === 0) return { memories: [], before: undefined };
    const [ids, docs] = [rows.map(({ id }) => id), rows.map(({ doc }) => doc)];
    const given = groupBy(await this.#db.all(clientTopics(ids.length), listArguments(ids)), ({ of }) => of);
    const derived = groupBy(
      await this.#db.all(derivedTopics(docs.length), listArguments(docs)),
      ({ of }) => of,
    );
    const memories = rows.map(({ seq, id, doc }) => {
      const topics = [...(given.get(id) ?? []), ...(derived.get(doc) ?? [])];
      return { memory: seq, topics: [...new Set(topics.map(({ topic_id }) => topic_id))] };
    });
    const last = rows.length < memoriesMax ? undefined : rows.at(-1)?.seq;
    return { memories: memories.filter(({ topics }) => topics.length > 0), before: last };
  }

  topicsAfter(after: string, limit: number): Promise<{ id: string; name: string }[]> {
    return this.#db.all(topicsAfterId, { after, limit });
  }

  linksOfMemories(ids: readonly string[]): Promise<GraphLink[]> {
    return linksOfMemories(this.#db, ids);
  }

  linksOfConcept(
    concept: Parameters<GraphReader['linksOfConcept']>[0],
    limit: number,
  ): Promise<ConceptLinks> {
    return linksOfConcept(this.#db, concept, limit);
  }

  namesOf(concepts: readonly GraphNode[]): Promise<ConceptName[]> {
    return namesOf(this.#db, concepts);
  }
}
