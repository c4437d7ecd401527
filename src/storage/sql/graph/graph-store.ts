import { sql } from 'kysely';
import {
  type ConceptLinks,
  type ConceptName,
  compareLinks,
  type GraphLink,
  type GraphNode,
  type GraphReader,
  memoryNode,
  type TopicsOfMemories,
} from '../../../domain/graph/graph-store.ts';
import type { RelationshipType } from '../../../domain/relationships/relationship.ts';
import { chunksOf, groupBy } from '../../../lib/collections.ts';
import { join } from '../core/joins.ts';
import { listArguments, listQuery } from '../core/list-query.ts';
import { type UserDatabase, UserRecords } from '../core/user-database.ts';
import { UserQuery } from '../core/user-query.ts';
import { liveEdges } from '../relationships/live-edges.ts';
import { entityPlace, factPlace, linksOfConcept, namesOf } from './concept-links.ts';

/** In two steps, since an engine without statistics would read all topics of the user for each page. */
const memoriesBefore = new UserQuery((tables, { before, limit }: { before: number; limit: number }) =>
  tables
    .selectFrom('memories')
    .where('memories.seq', '<', before)
    .where(tables.liveMemory())
    .orderBy('memories.seq', 'desc')
    .limit(limit)
    .select(['memories.seq', 'memories.id', 'memories.doc']),
);

const clientTopics = listQuery((tables, ids: readonly string[]) =>
  tables
    .selectFrom('memory_topics')
    .$call(join('topics', 'memory_topics.topic_id'))
    .where('memory_topics.memory_id', 'in', ids)
    .select(['memory_topics.memory_id as of', 'topics.canonical_id as topic_id']),
);

const derivedTopics = listQuery((tables, docs: readonly number[]) =>
  tables
    .selectFrom('derived_topics')
    .$call(join('topics', 'derived_topics.topic_id'))
    .where('derived_topics.doc', 'in', docs)
    .select(['derived_topics.doc as of', 'topics.canonical_id as topic_id']),
);

const topicsAfterId = new UserQuery((tables, { after, limit }: { after: string; limit: number }) =>
  tables
    .selectFrom('topics')
    .where('id', '>', after)
    .whereRef('canonical_id', '=', 'id')
    .orderBy('id')
    .limit(limit)
    .select(['id', 'normalized_name as name']),
);

export class SqlGraphReader extends UserRecords implements GraphReader {
  async topicsOfMemories(before: number, memoriesMax: number): Promise<TopicsOfMemories> {
    const rows = await this.db.all(memoriesBefore, { before, limit: memoriesMax });
    if (rows.length === 0) return { memories: [], before: undefined };
    const [ids, docs] = [rows.map(({ id }) => id), rows.map(({ doc }) => doc)];
    const given = groupBy(await this.db.all(clientTopics(ids.length), listArguments(ids)), ({ of }) => of);
    const derived = groupBy(
      await this.db.all(derivedTopics(docs.length), listArguments(docs)),
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
    return this.db.all(topicsAfterId, { after, limit });
  }

  linksOfMemories(ids: readonly string[]): Promise<GraphLink[]> {
    return linksOfMemories(this.db, ids);
  }

  linksOfConcept(
    concept: Parameters<GraphReader['linksOfConcept']>[0],
    limit: number,
  ): Promise<ConceptLinks> {
    return linksOfConcept(this.db, concept, limit);
  }

  namesOf(concepts: readonly GraphNode[]): Promise<ConceptName[]> {
    return namesOf(this.db, concepts);
  }
}

const rowsMax = 2000;

interface Row {
  readonly memory: GraphNode;
  readonly other: string;
  readonly confidence: number;
}
interface ShownRow extends Omit<Row, 'other'> {
  readonly other: Pick<GraphNode, 'id' | 'place'>;
}
interface Linked {
  readonly id: string | number;
  readonly other: string;
  readonly confidence: number;
}

const liveMemories = listQuery((tables, ids: readonly string[]) =>
  tables
    .selectFrom('memories')
    .where('id', 'in', ids)
    .where(tables.liveMemory())
    .select(['id', 'seq', 'doc']),
);

/**
 * Links of memories and their open versions, by the row that texts name: one
 * table each, by an index of it. In a join with memories and all topics of
 * the user, SQLite reads these whole (34 ms instead of 1 with 10,000 topics).
 */
const linkedTopics = listQuery<string, Linked>((tables, ids) =>
  tables
    .selectFrom('memory_topics')
    .where('memory_id', 'in', ids)
    .limit(rowsMax)
    .select(['memory_id as id', 'topic_id as other', sql<number>`1`.as('confidence')]),
);
const statedFacts = listQuery<string, Linked>((tables, ids) =>
  tables
    .selectFrom('fact_sources')
    .where('memory_id', 'in', ids)
    .limit(rowsMax)
    .select(['memory_id as id', 'fact_id as other', sql<number>`1`.as('confidence')]),
);
const linkedDerivedTopics = listQuery<number, Linked>((tables, docs) =>
  tables
    .selectFrom('derived_topics')
    .where('doc', 'in', docs)
    .limit(rowsMax)
    .select(['doc as id', 'topic_id as other', 'score as confidence']),
);
const mentions = listQuery<number, Linked>((tables, docs) =>
  tables
    .selectFrom('entity_mentions')
    .where('doc', 'in', docs)
    .limit(rowsMax)
    .select(['doc as id', 'entity_id as other', 'confidence']),
);
const derivedFacts = listQuery<number, Linked>((tables, docs) =>
  tables
    .selectFrom('fact_mentions')
    .where('doc', 'in', docs)
    .limit(rowsMax)
    .select(['doc as id', 'fact_id as other', 'confidence']),
);

interface Shown {
  readonly id: string;
  readonly shown: string;
  readonly place: string;
}
const shownTopics = listQuery<string, Shown>((tables, ids) =>
  tables
    .selectFrom('topics')
    .where('id', 'in', ids)
    .select(['id', 'canonical_id as shown', 'normalized_name as place']),
);
const shownEntities = listQuery<string, Shown>((tables, ids) =>
  tables
    .selectFrom('entities')
    .$call(join('entities as shown', 'entities.canonical_id'))
    .where('entities.id', 'in', ids)
    .where('shown.trashed_at', 'is', null)
    .select(['entities.id', 'shown.id as shown'])
    .select(entityPlace.as('place')),
);
const shownFacts = listQuery<string, Shown>((tables, ids) =>
  tables
    .selectFrom('facts')
    .where('id', 'in', ids)
    .where('trashed_at', 'is', null)
    .select(['id', 'id as shown', factPlace.as('place')]),
);

const relationships = (end: 'source_id' | 'target_id') =>
  listQuery((tables, ids: readonly string[]) =>
    liveEdges(tables)
      .where(`memory_edges.${end}`, 'in', ids)
      .limit(rowsMax)
      .select([
        'memory_edges.source_id as memory',
        'memory_edges.target_id as other',
        'memory_edges.confidence',
        'memory_edges.type',
        'source.seq as memory_seq',
        'target.seq as other_seq',
      ]),
  );
const bySource = relationships('source_id');
const byTarget = relationships('target_id');

/** See `GraphReader.linksOfMemories`. */
async function linksOfMemories(db: UserDatabase, ids: readonly string[]): Promise<GraphLink[]> {
  if (ids.length === 0) return [];
  const memories = await db.all(liveMemories(ids.length), listArguments(ids));
  if (memories.length === 0) return [];
  const liveIds = memories.map(({ id }) => id);
  const docs = memories.map(({ doc }) => doc);
  const read = linksReader(db, memories);
  const [given, derived, mentioned, said, stated, outgoing, incoming] = await Promise.all([
    read(linkedTopics, liveIds),
    read(linkedDerivedTopics, docs),
    read(mentions, docs),
    read(derivedFacts, docs),
    read(statedFacts, liveIds),
    db.all(bySource(liveIds.length), listArguments(liveIds)),
    db.all(byTarget(liveIds.length), listArguments(liveIds)),
  ]);
  const [topics, entities, facts] = await Promise.all([
    shown(db, shownTopics, [...given, ...derived]),
    shown(db, shownEntities, mentioned),
    shown(db, shownFacts, [...said, ...stated]),
  ]);
  return [
    ...topics.map((row) => linkOf(row, 'topic', 'HAS_TOPIC')),
    ...entities.map((row) => linkOf(row, 'entity', 'MENTIONS')),
    ...facts.map((row) => linkOf(row, 'fact', 'STATES')),
    ...[...outgoing, ...incoming].map((row) =>
      linkOf(
        {
          memory: memoryNode(row.memory, row.memory_seq),
          other: memoryNode(row.other, row.other_seq),
          confidence: row.confidence,
        },
        'memory',
        row.type as RelationshipType,
      ),
    ),
  ].sort(compareLinks);
}

/** Reads the links of memories, which the queries name by id or by document number. */
function linksReader(
  db: UserDatabase,
  memories: readonly { readonly id: string; readonly seq: number; readonly doc: number }[],
) {
  const nodeOf = new Map<string | number, GraphNode>(
    memories.flatMap(({ id, seq, doc }) => {
      const node = memoryNode(id, seq);
      return [[id, node] as const, [doc, node] as const];
    }),
  );
  return async <V extends string | number>(
    query: ReturnType<typeof listQuery<V, Linked>>,
    of: readonly V[],
  ): Promise<Row[]> =>
    (await db.all(query(of.length), listArguments(of))).flatMap(({ id, other, confidence }) => {
      const memory = nodeOf.get(id);
      return memory === undefined ? [] : [{ memory, other, confidence }];
    });
}

/** The rows with the records shown in place of their own; without rows that have no visible record. */
async function shown(
  db: UserDatabase,
  query: typeof shownTopics,
  rows: readonly Row[],
): Promise<readonly ShownRow[]> {
  const found = new Map<string, ShownRow['other']>();
  for (const ids of chunksOf([...new Set(rows.map(({ other }) => other))]))
    for (const row of await db.all(query(ids.length), listArguments(ids)))
      found.set(row.id, { id: row.shown, place: row.place });
  return rows.flatMap((row) => {
    const other = found.get(row.other);
    return other === undefined ? [] : [{ ...row, other }];
  });
}

function linkOf(
  { memory, other, confidence }: ShownRow,
  kind: GraphLink['b']['kind'],
  type: GraphLink['type'],
): GraphLink {
  return {
    a: memory,
    b: { kind, id: other.id, place: other.place },
    type,
    confidence: Math.min(1, Math.max(0, confidence)),
  };
}
