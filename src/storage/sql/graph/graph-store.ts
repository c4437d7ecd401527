import type {
  ConceptLinks,
  ConceptName,
  GraphLink,
  GraphNode,
  GraphReader,
  TopicsOfMemories,
} from '../../../domain/graph/graph-store.ts';
import { join } from '../core/joins.ts';
import type { UserDatabase } from '../core/user-database.ts';
import { UserQuery } from '../core/user-query.ts';
import { linksOfConcept } from './concept-links.ts';
import { namesOf } from './concept-names.ts';
import { linksOfMemories } from './memory-links.ts';

interface Range extends Record<string, unknown> {
  readonly from: number;
  readonly before: number;
}
type TopicRow = { memory: number; topic_id: string };

/** `seq` of the last memory of a page. */
const endOfPage = new UserQuery<{ before: number; skip: number }, { seq: number }>(
  (tables, { before, skip }) =>
    tables
      .selectFrom('memories')
      .where('memories.seq', '<', before)
      .orderBy('memories.seq', 'desc')
      .offset(skip)
      .limit(1)
      .select('memories.seq'),
);

const clientTopics = new UserQuery<Range, TopicRow>((tables, { from, before }) =>
  tables
    .selectFrom('memories')
    .$call(join('memory_topics', 'memories.id', 'memory_id'))
    .$call(join('topics', 'memory_topics.topic_id'))
    .where('memories.seq', '>=', from)
    .where('memories.seq', '<', before)
    .where(tables.liveMemory())
    .select(['memories.seq as memory', 'topics.canonical_id as topic_id']),
);

const derivedTopics = new UserQuery<Range, TopicRow>((tables, { from, before }) =>
  tables
    .selectFrom('memories')
    .$call(join('derived_topics', 'memories.doc', 'doc'))
    .$call(join('topics', 'derived_topics.topic_id'))
    .where('memories.seq', '>=', from)
    .where('memories.seq', '<', before)
    .where(tables.liveMemory())
    .select(['memories.seq as memory', 'topics.canonical_id as topic_id']),
);

export class SqlGraphReader implements GraphReader {
  readonly #db: UserDatabase;

  constructor(db: UserDatabase) {
    this.#db = db;
  }

  async topicsOfMemories(before: number, memoriesMax: number): Promise<TopicsOfMemories> {
    const end = await this.#db.first(endOfPage, { before, skip: memoriesMax - 1 });
    const range = { from: end?.seq ?? 0, before };
    const rows = [
      ...(await this.#db.all(clientTopics, range)),
      ...(await this.#db.all(derivedTopics, range)),
    ];
    const topics = new Map<number, Set<string>>();
    for (const { memory, topic_id } of rows)
      topics.set(memory, (topics.get(memory) ?? new Set()).add(topic_id));
    const memories = [...topics].map(([memory, ids]) => ({ memory, topics: [...ids] }));
    return { memories: memories.sort((a, b) => b.memory - a.memory), before: end?.seq };
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
