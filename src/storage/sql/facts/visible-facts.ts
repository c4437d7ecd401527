import { type ExpressionBuilder, sql } from 'kysely';
import type { ConfidenceBasis } from '../../../domain/facts/fact.ts';
import { effectiveStates, isOutdated } from '../../../domain/memories/memory.ts';
import { type EpochMs, MINUTE_MS } from '../../../domain/shared/time.ts';
import { type Range, rangesOfFacts } from '../core/counts.ts';
import { join, type Reads, related } from '../core/joins.ts';
import { listQuery } from '../core/list-query.ts';
import type { Count, UserDatabase } from '../core/user-database.ts';
import { UserQuery } from '../core/user-query.ts';
import type { UserTables } from '../core/user-tables.ts';

const outdatedStates = effectiveStates.filter(isOutdated);

/** Whether the joined version of a memory is neither outdated nor outside of its validity at a time. */
const holdsAt = (at: EpochMs) => sql<boolean>`(
  ${sql.ref('memory_versions.effective_state')} NOT IN (${sql.join(outdatedStates.map((state) => sql.lit(state)))})
  AND (${sql.ref('memory_versions.valid_from')} IS NULL OR ${sql.ref('memory_versions.valid_from')} <= ${at})
  AND (${sql.ref('memory_versions.valid_to')} IS NULL OR ${sql.ref('memory_versions.valid_to')} > ${at}))`;

/** Whether a time is within the validity that a client stated of a fact. */
const isValidAt = (at: EpochMs) => sql<boolean>`(
  (${sql.ref('facts.valid_from')} IS NULL OR ${sql.ref('facts.valid_from')} <= ${at})
  AND (${sql.ref('facts.valid_to')} IS NULL OR ${sql.ref('facts.valid_to')} > ${at}))`;

type FactExpressions = ExpressionBuilder<Reads<'facts'>, 'facts'>;

const liveSources = (tables: UserTables, eb: FactExpressions) =>
  related(eb, 'fact_sources', 'facts.id', 'fact_id')
    .$call(join('memories', 'fact_sources.memory_id'))
    .$call(join('memory_versions', 'memories.doc', 'doc'))
    .where(tables.liveMemory());

/** Mentions of a fact in the open versions of live memories. */
const liveMentions = (tables: UserTables, eb: FactExpressions) =>
  related(eb, 'fact_mentions', 'facts.id', 'fact_id')
    .$call(join('memory_versions', 'fact_mentions.doc', 'doc'))
    .$call(join('memories', 'memory_versions.memory_seq', 'seq'))
    .where('memory_versions.closed_at', 'is', null)
    .where(tables.liveMemory());

/**
 * Not in the trash, and either without source memories or with a live
 * one; with `at`, with a live one that holds at this time.
 */
export function visibleFacts(tables: UserTables, at?: EpochMs) {
  const facts = tables.selectFrom('facts').where('facts.trashed_at', 'is', null);
  return (at === undefined ? facts : facts.where(isValidAt(at))).where((eb) => {
    const sources = liveSources(tables, eb).select('fact_sources.memory_id');
    const mentions = liveMentions(tables, eb).select('fact_mentions.doc');
    return eb.or([
      eb('facts.sourced', '=', 0),
      eb.exists(at === undefined ? sources : sources.where(holdsAt(at))),
      eb.exists(
        at === undefined ? mentions : mentions.where(holdsAt(at)).where('fact_mentions.outdated', '=', 0),
      ),
    ]);
  });
}

/** Facts that live memories say now. */
const fromOpenVersions = (tables: UserTables) =>
  tables
    .selectFrom('fact_mentions')
    .$call(join('memory_versions', 'fact_mentions.doc', 'doc'))
    .$call(join('memories', 'memory_versions.memory_seq', 'seq'))
    .where('memory_versions.closed_at', 'is', null)
    .where(tables.liveMemory());

/** Facts that a memory states. */
export const saidByMemory = (tables: UserTables, memoryId: string) =>
  fromOpenVersions(tables).where('memories.id', '=', memoryId).select('fact_mentions.fact_id');

/** A live memory that a fact is derived from. */
export interface SourceRow {
  readonly fact_id: string;
  readonly memory_id: string;
  readonly seq: number;
  readonly state: string;
  readonly valid_from: number | null;
  readonly valid_to: number | null;
  /** 1 if only the part of the version that states the fact is outdated. */
  readonly outdated: number;
  /** Null if a client named it, as the following. */
  readonly basis: ConfidenceBasis | null;
  readonly start_at: number | null;
  readonly end_at: number | null;
  readonly confidence: number | null;
}

const stateColumns = [
  'memory_versions.effective_state as state',
  'memory_versions.valid_from',
  'memory_versions.valid_to',
] as const;

/** Live memories that a client named as sources. */
export const sourcesOf = listQuery<string, SourceRow>((tables, ids) =>
  tables
    .selectFrom('fact_sources')
    .$call(join('memories', 'fact_sources.memory_id'))
    .$call(join('memory_versions', 'memories.doc', 'doc'))
    .where(tables.liveMemory())
    .select(['fact_sources.fact_id', 'fact_sources.memory_id', 'memories.seq'])
    .select([sql<null>`null`.as('basis'), sql<number>`0`.as('outdated')])
    .select([sql<null>`null`.as('start_at'), sql<null>`null`.as('end_at'), sql<null>`null`.as('confidence')])
    .select(stateColumns)
    .where('fact_sources.fact_id', 'in', ids),
);

export const mentionsOf = listQuery<string, SourceRow>((tables, ids) =>
  fromOpenVersions(tables)
    .where('fact_mentions.fact_id', 'in', ids)
    .select(['fact_mentions.fact_id', 'memories.id as memory_id', 'memories.seq', 'fact_mentions.basis'])
    .select(['fact_mentions.outdated', 'fact_mentions.start_at', 'fact_mentions.end_at'])
    .select('fact_mentions.confidence')
    .select(stateColumns),
);

/** A fact with a version of a memory that states it. */
export interface SaidRow {
  readonly doc: number;
  readonly id: string;
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  readonly confidence: number;
  readonly basis: ConfidenceBasis;
  readonly negated: number;
  readonly corrected: number;
  readonly updated_at: number;
  readonly start_at: number;
  readonly end_at: number;
}

export const saidByVersions = listQuery<number, SaidRow>((tables, docs) =>
  tables
    .selectFrom('fact_mentions')
    .$call(join('facts', 'fact_mentions.fact_id'))
    .select(['fact_mentions.doc', 'fact_mentions.basis'])
    .select(['facts.id', 'facts.subject', 'facts.predicate', 'facts.object', 'facts.confidence'])
    .select(['facts.negated', 'facts.corrected', 'facts.updated_at'])
    .select(['fact_mentions.start_at', 'fact_mentions.end_at'])
    .where('fact_mentions.doc', 'in', docs)
    .where('fact_mentions.outdated', '=', 0)
    .where('facts.trashed_at', 'is', null)
    .orderBy('fact_mentions.start_at')
    .orderBy('facts.doc'),
);

type CountIn = UserQuery<Range, { readonly count: number | string }>;

const visibleIn: CountIn = new UserQuery((tables, { after, until }) =>
  visibleFacts(tables)
    .where('facts.doc', '>', after)
    .where('facts.doc', '<=', until)
    .select(sql<number>`count(*)`.as('count')),
);

const currentIn = new UserQuery<Range & { readonly at: EpochMs }, { readonly count: number | string }>(
  (tables, { after, until, at }) =>
    visibleFacts(tables, at)
      .where('facts.doc', '>', after)
      .where('facts.doc', '<=', until)
      .select(sql<number>`count(*)`.as('count')),
);

const saidIn: CountIn = new UserQuery((tables, { after, until }) =>
  tables
    .selectFrom('facts')
    .where('facts.trashed_at', 'is', null)
    .where('facts.doc', '>', after)
    .where('facts.doc', '<=', until)
    .where((eb) => eb.exists(liveMentions(tables, eb).select('fact_mentions.doc')))
    .select(sql<number>`count(*)`.as('count')),
);

type FactCount = Count<{ readonly count: number }>;

const countWith = (
  name: string,
  countIn: (db: UserDatabase, range: Range) => Promise<{ readonly count: number | string } | undefined>,
): FactCount => ({
  name,
  of: async (db) => {
    let count = 0;
    for await (const range of rangesOfFacts(db)) count += Number((await countIn(db, range))?.count ?? 0);
    return { count };
  },
});

const countBy = (name: string, query: CountIn) => countWith(name, (db, range) => db.first(query, range));

/** Facts that hold at a time, counted again each minute: validity ends without a write. */
export const currentFactCount = (at: EpochMs): FactCount =>
  countWith(`facts of minute ${Math.floor(at / MINUTE_MS)}`, (db, range) =>
    db.first(currentIn, { ...range, at }),
  );

/** Facts that are shown. */
export const visibleFactCount = countBy('facts', visibleIn);

/** Facts that live memories say, as derivation found. */
export const saidFacts = countBy('said facts', saidIn);
