import { type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type { PartsOfVersion } from '../../../domain/derivation/derivation-store.ts';
import { deriveStepKey } from '../../../domain/derivation/deriver.ts';
import type { Extraction } from '../../../domain/derivation/extraction.ts';
import { chunksOf } from '../../../lib/chunks.ts';
import { join, type Reads, related } from '../core/joins.ts';
import { listArguments, listQuery } from '../core/list-query.ts';
import type { DerivationsTable } from '../core/step-tables.ts';
import type { UserDatabase } from '../core/user-database.ts';

/** Columns of `selectParts`. */
export interface PartsRow {
  readonly derived_at: number | null;
  readonly skip_reason: DerivationsTable['skip_reason'];
  /** State of the job that derives from the version; null without a job. */
  readonly job: 'failed' | 'running' | 'pending' | null;
  readonly has_facts: SqlBool;
  readonly has_entities: SqlBool;
  readonly has_topics: SqlBool;
  readonly has_relationships: SqlBool;
}

type Versions = ExpressionBuilder<Reads<'memory_versions' | 'memories'>, 'memory_versions' | 'memories'>;

const derivation = (eb: Versions) => related(eb, 'derivations', 'memory_versions.doc', 'doc');

const jobState = sql<'failed' | 'running' | 'pending'>`case when jobs.due_at is null then 'failed'
  when jobs.taken = 1 then 'running' else 'pending' end`;

const job = (eb: Versions) =>
  related(eb, 'jobs', 'memory_versions.doc', 'doc')
    .where('jobs.step', '=', deriveStepKey.name)
    .select(jobState.as('state'))
    .orderBy('jobs.version', 'desc')
    .limit(1);

const hasFacts = (eb: Versions) =>
  eb.or([
    eb.exists(related(eb, 'fact_mentions', 'memory_versions.doc', 'doc').select('fact_mentions.fact_id')),
    eb.exists(related(eb, 'fact_sources', 'memories.id', 'memory_id').select('fact_sources.fact_id')),
  ]);

const hasRelationships = (eb: Versions) =>
  eb.or([
    eb.exists(related(eb, 'memory_edges', 'memories.id', 'source_id').select('memory_edges.id')),
    eb.exists(related(eb, 'memory_edges', 'memories.id', 'target_id').select('memory_edges.id')),
  ]);

/** The parts of each version, as columns of a statement over versions and memories. */
export const selectParts = (eb: Versions) => [
  derivation(eb).select('derivations.derived_at').as('derived_at'),
  derivation(eb).select('derivations.skip_reason').as('skip_reason'),
  job(eb).as('job'),
  hasFacts(eb).as('has_facts'),
  eb
    .exists(related(eb, 'entity_mentions', 'memory_versions.doc', 'doc').select('entity_mentions.entity_id'))
    .as('has_entities'),
  eb
    .exists(related(eb, 'derived_topics', 'memory_versions.doc', 'doc').select('derived_topics.topic_id'))
    .as('has_topics'),
  hasRelationships(eb).as('has_relationships'),
];

const parts = listQuery<number, PartsRow & { readonly doc: number }>((tables, docs) =>
  tables
    .selectFrom('memory_versions')
    .$call(join('memories', 'memory_versions.memory_seq', 'seq'))
    .where('memory_versions.doc', 'in', docs)
    .select('memory_versions.doc')
    .select(selectParts),
);

export function toParts(row: PartsRow): PartsOfVersion {
  return {
    extraction: extractionOf(row),
    // Truth values are numbers in SQLite.
    facts: Boolean(row.has_facts),
    entities: Boolean(row.has_entities),
    topics: Boolean(row.has_topics),
    relationships: Boolean(row.has_relationships),
  };
}

/**
 * See `DerivationReader.partsOf`. One statement finds which parts a version has, since most
 * memories lack most parts: an index look-up inside it costs less than one more statement.
 */
export async function partsOfVersions(
  db: UserDatabase,
  docs: readonly number[],
): Promise<Map<number, PartsOfVersion>> {
  const found = new Map<number, PartsOfVersion>();
  for (const chunk of chunksOf(docs))
    for (const row of await db.all(parts(chunk.length), listArguments(chunk)))
      found.set(row.doc, toParts(row));
  return found;
}

/** An existing derivation counts while the version is derived again. */
function extractionOf({ derived_at, skip_reason, job: status }: PartsRow): Extraction | undefined {
  if (derived_at === null) return status === null ? undefined : { status };
  return skip_reason === 'content_too_short'
    ? { status: 'skipped', skipReason: skip_reason }
    : { status: 'completed', completedAt: derived_at };
}
