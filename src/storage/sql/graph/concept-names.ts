import type { ConceptName, GraphNode, NodeKind } from '../../../domain/graph/graph-store.ts';
import { listArguments, listQuery } from '../core/list-query.ts';
import type { UserDatabase } from '../core/user-database.ts';

const topics = listQuery<string, { id: string; name: string }>((tables, ids) =>
  tables.selectFrom('topics').where('id', 'in', ids).select(['id', 'name']),
);
const entities = listQuery<string, { id: string; name: string; type: string }>((tables, ids) =>
  tables
    .selectFrom('entities')
    .where('id', 'in', ids)
    .where('trashed_at', 'is', null)
    .select(['id', 'name', 'type']),
);
const facts = listQuery<string, { id: string; subject: string; predicate: string; object: string }>(
  (tables, ids) =>
    tables
      .selectFrom('facts')
      .where('id', 'in', ids)
      .where('trashed_at', 'is', null)
      .select(['id', 'subject', 'predicate', 'object']),
);

/** See `GraphReader.namesOf`. */
export async function namesOf(db: UserDatabase, concepts: readonly GraphNode[]): Promise<ConceptName[]> {
  const idsOf = (kind: NodeKind) => concepts.filter((node) => node.kind === kind).map(({ id }) => id);
  const read = async <R>(query: ReturnType<typeof listQuery<string, R>>, ids: readonly string[]) =>
    ids.length === 0 ? [] : db.all(query(ids.length), listArguments(ids));
  return [
    ...(await read(topics, idsOf('topic'))).map((row) => ({ kind: 'topic' as const, ...row })),
    ...(await read(entities, idsOf('entity'))).map((row) => ({ kind: 'entity' as const, ...row })),
    ...(await read(facts, idsOf('fact'))).map(({ id, subject, predicate, object }) => ({
      kind: 'fact' as const,
      id,
      name: `${subject} ${predicate} ${object}`,
    })),
  ];
}
