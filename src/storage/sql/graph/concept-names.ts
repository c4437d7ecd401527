import type { ConceptName, GraphNode, NodeKind } from '../../../domain/graph/graph-store.ts';
import { join, related } from '../core/joins.ts';
import { listArguments, listQuery } from '../core/list-query.ts';
import type { UserDatabase } from '../core/user-database.ts';
import { isOnLiveMemory } from '../topics/live-topics.ts';

const topics = listQuery<string, { id: string; name: string }>((tables, ids) =>
  tables
    .selectFrom('topics')
    .where('id', 'in', ids)
    .where((eb) => isOnLiveMemory(tables)(eb))
    .select(['id', 'name']),
);
const entities = listQuery<string, { id: string; name: string; type: string }>((tables, ids) =>
  tables
    .selectFrom('entities')
    .where('entities.id', 'in', ids)
    .where('entities.trashed_at', 'is', null)
    .where((eb) =>
      eb.exists(
        related(eb, 'entities as alias', 'entities.id', 'canonical_id')
          .$call(join('entity_mentions', 'alias.id', 'entity_id'))
          .$call(join('memory_versions', 'entity_mentions.doc', 'doc'))
          .$call(join('memories', 'memory_versions.memory_seq', 'seq'))
          .whereRef('memories.doc', '=', 'entity_mentions.doc')
          .where(tables.liveMemory())
          .select('memories.id'),
      ),
    )
    .select(['entities.id', 'entities.name', 'entities.type']),
);
const facts = listQuery<string, { id: string; subject: string; predicate: string; object: string }>(
  (tables, ids) =>
    tables
      .selectFrom('facts')
      .where('facts.id', 'in', ids)
      .where('facts.trashed_at', 'is', null)
      .where((eb) =>
        eb.or([
          eb.exists(
            related(eb, 'fact_mentions', 'facts.id', 'fact_id')
              .$call(join('memory_versions', 'fact_mentions.doc', 'doc'))
              .$call(join('memories', 'memory_versions.memory_seq', 'seq'))
              .whereRef('memories.doc', '=', 'fact_mentions.doc')
              .where(tables.liveMemory())
              .select('memories.id'),
          ),
          eb.exists(
            related(eb, 'fact_sources', 'facts.id', 'fact_id')
              .$call(join('memories', 'fact_sources.memory_id'))
              .where(tables.liveMemory())
              .select('memories.id'),
          ),
        ]),
      )
      .select(['facts.id', 'facts.subject', 'facts.predicate', 'facts.object']),
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
