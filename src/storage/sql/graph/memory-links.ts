import { sql } from 'kysely';
import type { GraphLink } from '../../../domain/graph/graph-store.ts';
import type { RelationshipType } from '../../../domain/relationships/relationship.ts';
import { chunksOf } from '../../../lib/chunks.ts';
import { join } from '../core/joins.ts';
import { listArguments, listQuery } from '../core/list-query.ts';
import type { UserDatabase } from '../core/user-database.ts';
import { liveEdges } from '../relationships/relationship-store.ts';

const rowsMax = 2000;

interface Row {
  readonly memory: string;
  readonly other: string;
  readonly confidence: number;
}
interface Linked {
  readonly id: string | number;
  readonly other: string;
  readonly confidence: number;
}

const liveMemories = listQuery<string, { id: string; doc: number }>((tables, ids) =>
  tables.selectFrom('memories').where('id', 'in', ids).where(tables.liveMemory()).select(['id', 'doc']),
);

/**
 * What memories and their open versions are linked to, by the row that texts name: one table each, by an index of it. Joined
 * to memories and to all topics of the user, SQLite reads these whole (34 ms instead of 1 with 10,000 topics).
 */
const clientTopics = listQuery<string, Linked>((tables, ids) =>
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
const derivedTopics = listQuery<number, Linked>((tables, docs) =>
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
}
const shownTopics = listQuery<string, Shown>((tables, ids) =>
  tables.selectFrom('topics').where('id', 'in', ids).select(['id', 'canonical_id as shown']),
);
const shownEntities = listQuery<string, Shown>((tables, ids) =>
  tables
    .selectFrom('entities')
    .$call(join('entities as shown', 'entities.canonical_id'))
    .where('entities.id', 'in', ids)
    .where('shown.trashed_at', 'is', null)
    .select(['entities.id', 'shown.id as shown']),
);
const shownFacts = listQuery<string, Shown>((tables, ids) =>
  tables
    .selectFrom('facts')
    .where('id', 'in', ids)
    .where('trashed_at', 'is', null)
    .select(['id', 'id as shown']),
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
  const memories = await db.all(liveMemories(ids.length), listArguments(ids));
  if (memories.length === 0) return [];
  const idOf = new Map<string | number, string>(
    memories.flatMap(({ id, doc }) => [[id, id] as const, [doc, id] as const]),
  );
  const liveIds = memories.map(({ id }) => id);
  const docs = memories.map(({ doc }) => doc);
  const read = async <V extends string | number>(
    query: ReturnType<typeof listQuery<V, Linked>>,
    of: readonly V[],
  ): Promise<Row[]> =>
    (await db.all(query(of.length), listArguments(of))).flatMap(({ id, other, confidence }) => {
      const memory = idOf.get(id);
      return memory === undefined ? [] : [{ memory, other, confidence }];
    });
  const [given, derived, mentioned, said, stated, outgoing, incoming] = await Promise.all([
    read(clientTopics, liveIds),
    read(derivedTopics, docs),
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
    ...[...outgoing, ...incoming].map((row) => linkOf(row, 'memory', row.type as RelationshipType)),
  ];
}

/** The same rows by what is shown in the place of each; those of which nothing is shown are left out. */
async function shown(
  db: UserDatabase,
  query: typeof shownTopics,
  rows: readonly Row[],
): Promise<readonly Row[]> {
  const found = new Map<string, string>();
  for (const ids of chunksOf([...new Set(rows.map(({ other }) => other))]))
    for (const row of await db.all(query(ids.length), listArguments(ids))) found.set(row.id, row.shown);
  return rows.flatMap((row) => {
    const other = found.get(row.other);
    return other === undefined ? [] : [{ ...row, other }];
  });
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
