import type { GraphLink } from '../../../domain/graph/graph-store.ts';
import type { RelationshipType } from '../../../domain/relationships/relationship.ts';
import { join } from '../core/joins.ts';
import { listArguments, listQuery } from '../core/list-query.ts';
import type { UserDatabase } from '../core/user-database.ts';
import type { UserTables } from '../core/user-tables.ts';
import { liveEdges } from '../relationships/relationship-store.ts';

const rowsMax = 2000;

interface Row {
  readonly memory: string;
  readonly other: string;
  readonly confidence: number;
}

const live = (tables: UserTables, ids: readonly string[]) =>
  tables.selectFrom('memories').where('memories.id', 'in', ids).where(tables.liveMemory()).limit(rowsMax);

const clientTopics = listQuery<string, Omit<Row, 'confidence'>>((tables, ids) =>
  live(tables, ids)
    .$call(join('memory_topics', 'memories.id', 'memory_id'))
    .$call(join('topics', 'memory_topics.topic_id'))
    .select(['memories.id as memory', 'topics.canonical_id as other']),
);
const derivedTopics = listQuery<string, Row>((tables, ids) =>
  live(tables, ids)
    .$call(join('derived_topics', 'memories.doc', 'doc'))
    .$call(join('topics', 'derived_topics.topic_id'))
    .select(['memories.id as memory', 'topics.canonical_id as other', 'derived_topics.score as confidence']),
);
const entities = listQuery<string, Row>((tables, ids) =>
  live(tables, ids)
    .$call(join('entity_mentions', 'memories.doc', 'doc'))
    .$call(join('entities', 'entity_mentions.entity_id'))
    .$call(join('entities as shown', 'entities.canonical_id'))
    .where('shown.trashed_at', 'is', null)
    .select(['memories.id as memory', 'shown.id as other', 'entity_mentions.confidence']),
);
const derivedFacts = listQuery<string, Row>((tables, ids) =>
  live(tables, ids)
    .$call(join('fact_mentions', 'memories.doc', 'doc'))
    .$call(join('facts', 'fact_mentions.fact_id'))
    .where('facts.trashed_at', 'is', null)
    .select(['memories.id as memory', 'facts.id as other', 'fact_mentions.confidence']),
);
const statedFacts = listQuery<string, Row>((tables, ids) =>
  live(tables, ids)
    .$call(join('fact_sources', 'memories.id', 'memory_id'))
    .$call(join('facts', 'fact_sources.fact_id'))
    .where('facts.trashed_at', 'is', null)
    .select(['memories.id as memory', 'facts.id as other', 'facts.confidence']),
);
const relationships = (end: 'source_id' | 'target_id') =>
  listQuery<string, Row & { type: string }>((tables, ids) =>
    liveEdges(tables)
      .where(`memory_edges.${end}`, 'in', ids)
      .limit(rowsMax)
      .select([
        'memory_edges.source_id as memory',
        'memory_edges.target_id as other',
        'memory_edges.confidence',
        'memory_edges.type',
      ]),
  );
const bySource = relationships('source_id');
const byTarget = relationships('target_id');

/** See `GraphReader.linksOfMemories`. */
export async function linksOfMemories(db: UserDatabase, ids: readonly string[]): Promise<GraphLink[]> {
  if (ids.length === 0) return [];
  const args = listArguments(ids);
  const read = <R>(query: ReturnType<typeof listQuery<string, R>>) => db.all(query(ids.length), args);
  const [given, derived, mentioned, said, stated, outgoing, incoming] = await Promise.all([
    read(clientTopics),
    read(derivedTopics),
    read(entities),
    read(derivedFacts),
    read(statedFacts),
    read(bySource),
    read(byTarget),
  ]);
  return [
    ...given.map((row) => linkOf({ ...row, confidence: 1 }, 'topic', 'HAS_TOPIC')),
    ...derived.map((row) => linkOf(row, 'topic', 'HAS_TOPIC')),
    ...mentioned.map((row) => linkOf(row, 'entity', 'MENTIONS')),
    ...[...said, ...stated].map((row) => linkOf(row, 'fact', 'STATES')),
    ...[...outgoing, ...incoming].map((row) => linkOf(row, 'memory', row.type as RelationshipType)),
  ];
}

function linkOf(
  { memory, other, confidence }: Row,
  kind: GraphLink['b']['kind'],
  type: GraphLink['type'],
): GraphLink {
  return {
    a: { kind: 'memory', id: memory },
    b: { kind, id: other },
    type,
    confidence: Math.min(1, Math.max(0, confidence)),
  };
}
