import { type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type {
  DerivationReader,
  EntityName,
  Extraction,
  PartsOfVersion,
} from '../../../domain/derivation/derivation-store.ts';
import type { KnownName } from '../../../domain/derivation/derived.ts';
import { deriveStepKey } from '../../../domain/derivation/deriver.ts';
import type { RecentVersions, UserOutline } from '../../../domain/derivation/user-outline.ts';
import type { EntityType } from '../../../domain/entities/entity.ts';
import { chunksOf } from '../../../lib/collections.ts';
import type { DerivationsTable } from '../core/derived-tables.ts';
import { join, type Reads, related } from '../core/joins.ts';
import { listArguments, listQuery } from '../core/list-query.ts';
import { type UserDatabase, UserRecords } from '../core/user-database.ts';
import { UserQuery } from '../core/user-query.ts';
import type { UserTables } from '../core/user-tables.ts';

const knownNames = new UserQuery((tables, { limit }: { limit: number }) =>
  tables
    .selectFrom('entities')
    .select(['name', 'name_key', 'type', 'found_type', 'corrected'])
    .where('trashed_at', 'is', null)
    .where((row) => row.or([row('is_certain', '=', 1), row('corrected', '=', 1)]))
    .orderBy('updated_at', 'desc')
    .orderBy('name_key')
    .orderBy('found_type')
    .limit(limit),
);

/** Number and lowest of the newest docs: as a text, since a subquery has one column. */
const newestDocs = (tables: UserTables, limit: number) =>
  sql<string>`(SELECT count(*) || ' ' || coalesce(min(doc), 0) FROM ${tables
    .selectFrom('memory_versions')
    .select('doc')
    .orderBy('doc', 'desc')
    .limit(limit)} AS newest)`;

const outline = new UserQuery((tables, { limit }: { limit: number }) =>
  tables
    .selectFrom('entities')
    .select([sql<number>`count(*)`.as('names'), sql<number | null>`max(updated_at)`.as('last')])
    .select((eb) => [
      newestDocs(tables, limit).as('newest'),
      eb.exists(tables.selectFrom('memory_topics').select('topic_id')).as('has_topics'),
    ])
    .where('trashed_at', 'is', null)
    .where((row) => row.or([row('is_certain', '=', 1), row('corrected', '=', 1)])),
);

const newest = new UserQuery((tables, { limit }: { limit: number }) =>
  tables.selectFrom('user_counters').select(newestDocs(tables, limit).as('newest')),
);

/** @param newest of `newestDocs` with one more than `limit` */
function toRecent(newest: string, limit: number): RecentVersions {
  const [count, lowest] = newest.split(' ').map(Number);
  return count > limit ? { after: lowest, count: limit } : { after: 0, count };
}

const given = listQuery((tables, names: readonly string[]) =>
  tables
    .selectFrom('topics')
    .select('topics.normalized_name')
    .where('topics.normalized_name', 'in', names)
    .where((eb) =>
      eb.exists(
        related(eb, 'memory_topics', 'topics.canonical_id', 'topic_id').select('memory_topics.topic_id'),
      ),
    ),
);

interface EntityNameRow {
  readonly name: string;
  readonly name_key: string;
  readonly found_type: string;
  readonly canonical_id: string;
  readonly corrected: number;
}

const nameColumns = ['name', 'name_key', 'found_type', 'canonical_id', 'corrected'] as const;

const namedBy = listQuery<string, EntityNameRow>((tables, keys) =>
  tables.selectFrom('entities').select(nameColumns).where('name_key', 'in', keys),
);

const newestOfType = new UserQuery<{ type: string; limit: number }, EntityNameRow>(
  (tables, { type, limit }) =>
    tables
      .selectFrom('entities')
      .select(nameColumns)
      .where('found_type', '=', type)
      .where('trashed_at', 'is', null)
      .orderBy('created_at', 'desc')
      .orderBy('name_key')
      .limit(limit),
);

/**
 * A corrected project under both names: texts still contain the name that was corrected, and spellings of it.
 */
function namesOf({ name, name_key, found_type, canonical_id, corrected }: EntityNameRow): EntityName[] {
  const entity = { key: name_key, name, type: found_type as EntityType, canonicalId: canonical_id };
  const hasBoth = corrected === 1 && found_type === 'PROJECT';
  return hasBoth ? [{ ...entity, name: name_key }, entity] : [entity];
}

export class SqlDerivationReader extends UserRecords implements DerivationReader {
  async knownNames(limit: number): Promise<KnownName[]> {
    const rows = await this.db.all(knownNames, { limit });
    return rows.flatMap(({ name, name_key, type, found_type, corrected }) => {
      const known = { name, type: type as EntityType };
      if (corrected !== 1) return [known];
      // Texts still contain the name that was corrected.
      return [{ ...known, name: name_key, foundType: found_type as EntityType }, known];
    });
  }

  async outline(recentMax: number): Promise<UserOutline> {
    const row = await this.db.first(outline, { limit: recentMax + 1 });
    const { names = 0, last = null, newest: docs = '0 0', has_topics = false } = row ?? {};
    return {
      names: { mark: `${names} ${last ?? 0}`, count: Number(names) },
      recent: toRecent(docs, recentMax),
      hasTopics: Boolean(has_topics),
    };
  }

  async entitiesNamed(keys: readonly string[]): Promise<EntityName[]> {
    const found: EntityName[] = [];
    for (const chunk of chunksOf(keys))
      found.push(...(await this.db.all(namedBy(chunk.length), listArguments(chunk))).flatMap(namesOf));
    return found;
  }

  async namesOfType(type: EntityType, limit: number): Promise<EntityName[]> {
    return (await this.db.all(newestOfType, { type, limit })).flatMap(namesOf).reverse();
  }

  partsOf(docs: readonly number[]): Promise<Map<number, PartsOfVersion>> {
    return partsOfVersions(this.db, docs);
  }

  async givenTopics(names: readonly string[]): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    for (const chunk of chunksOf(names))
      for (const row of await this.db.all(given(chunk.length), listArguments(chunk)))
        found.add(row.normalized_name);
    return found;
  }

  async speakingTwice(speakers: readonly string[], after: number): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    for (const chunk of chunksOf(speakers)) {
      const said = this.db.tables.selectFrom('memory_versions').where('doc', '>', after);
      const rows = await said
        .where('speaker', 'in', chunk)
        .groupBy('speaker')
        .having(sql<number>`count(DISTINCT memory_seq)`, '>=', 2)
        .select('speaker')
        .execute();
      for (const { speaker } of rows) found.add(speaker);
    }
    return found;
  }

  async recentVersions(limit: number): Promise<RecentVersions> {
    const row = await this.db.first(newest, { limit: limit + 1 });
    return toRecent(row?.newest ?? '0 0', limit);
  }
}

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
async function partsOfVersions(
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
