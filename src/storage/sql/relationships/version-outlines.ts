import type { ExpressionBuilder, SqlBool } from 'kysely';
import { deriveStepKey } from '../../../domain/derivation/deriver.ts';
import type { VersionOutline } from '../../../domain/relationships/found-relationship.ts';
import { chunksOf } from '../../../lib/collections.ts';
import { join, type Reads, related } from '../core/joins.ts';
import { listArguments, listQuery } from '../core/list-query.ts';
import type { UserDatabase } from '../core/user-database.ts';
import { namedThings } from './shared-derivations.ts';

type Memories = ExpressionBuilder<Reads<'memories'>, 'memories'>;

/** With a relationship or a candidate, by four look-ups in indexes: planning the joins that read them costs milliseconds. */
const isRelated = (eb: Memories) =>
  eb.or([
    eb.exists(related(eb, 'memory_edges', 'memories.id', 'source_id').select('memory_edges.id')),
    eb.exists(related(eb, 'memory_edges', 'memories.id', 'target_id').select('memory_edges.id')),
    eb.exists(related(eb, 'edge_candidates', 'memories.id', 'target_id').select('edge_candidates.doc')),
    eb.exists(related(eb, 'edge_candidates', 'memories.doc', 'doc').select('edge_candidates.doc')),
  ]);

/** Whether derivation from the version was given up. */
const isParked = (eb: Memories) =>
  eb.exists(
    related(eb, 'jobs', 'memories.doc', 'doc')
      .select('jobs.doc')
      .where('jobs.step', '=', deriveStepKey.name)
      .where('jobs.due_at', 'is', null),
  );

const hasThings = (eb: Memories) =>
  eb.exists(
    related(eb, 'entity_mentions', 'memories.doc', 'doc')
      .$call(join('entities', 'entity_mentions.entity_id'))
      .select('entity_mentions.entity_id')
      .where('entities.type', 'in', namedThings),
  );

interface OutlineRow {
  readonly doc: number;
  readonly is_related: SqlBool;
  readonly has_facts: SqlBool;
  readonly has_things: SqlBool;
}

const outlines = listQuery<number, OutlineRow>((tables, docs) =>
  tables
    .selectFrom('memories')
    .where('memories.doc', 'in', docs)
    .where(tables.liveMemory())
    .where((eb) => eb.not(isParked(eb)))
    .select((eb) => [
      'memories.doc',
      isRelated(eb).as('is_related'),
      eb
        .exists(related(eb, 'fact_mentions', 'memories.doc', 'doc').select('fact_mentions.fact_id'))
        .as('has_facts'),
      hasThings(eb).as('has_things'),
    ]),
);

/** See `FoundRelationshipReader.outlines`. */
export async function outlinesOf(
  db: UserDatabase,
  docs: readonly number[],
): Promise<ReadonlyMap<number, VersionOutline>> {
  const found = new Map<number, VersionOutline>();
  for (const chunk of chunksOf(docs))
    for (const row of await db.all(outlines(chunk.length), listArguments(chunk)))
      found.set(row.doc, {
        // Truth values are numbers in SQLite.
        isRelated: Boolean(row.is_related),
        hasFacts: Boolean(row.has_facts),
        hasThings: Boolean(row.has_things),
      });
  return found;
}
