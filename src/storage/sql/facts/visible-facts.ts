import { type ExpressionBuilder, sql } from 'kysely';
import type { ConfidenceBasis } from '../../../domain/facts/fact.ts';
import { type Range, rangesOfFacts } from '../core/counts.ts';
import { join, type Reads, related } from '../core/joins.ts';
import { listQuery } from '../core/list-query.ts';
import type { Count } from '../core/user-database.ts';
import { UserQuery } from '../core/user-query.ts';
import type { UserTables } from '../core/user-tables.ts';

const liveSources = (tables: UserTables, eb: ExpressionBuilder<Reads<'facts'>, 'facts'>) =>
  related(eb, 'fact_sources', 'facts.id', 'fact_id')
    .$call(join('memories', 'fact_sources.memory_id'))
    .where(tables.liveMemory());

/** Not in the trash, and either without source memories or with a live one. */
export const visibleFacts = (tables: UserTables) =>
  tables
    .selectFrom('facts')
    .where('facts.trashed_at', 'is', null)
    .where((eb) =>
      eb.or([
        eb('facts.sourced', '=', 0),
        eb.exists(liveSources(tables, eb).select('fact_sources.memory_id')),
        eb.exists(liveMentions(tables, eb).select('fact_mentions.doc')),
      ]),
    );

/** Mentions of a fact in the open versions of live memories. */
const liveMentions = (tables: UserTables, eb: ExpressionBuilder<Reads<'facts'>, 'facts'>) =>
  related(eb, 'fact_mentions', 'facts.id', 'fact_id')
    .$call(join('memory_versions', 'fact_mentions.doc', 'doc'))
    .$call(join('memories', 'memory_versions.memory_seq', 'seq'))
    .where('memory_versions.closed_at', 'is', null)
    .where(tables.liveMemory());

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
  /** Null if a client named it. */
  readonly basis: ConfidenceBasis | null;
}

export const mentionsOf = listQuery<string, SourceRow>((tables, ids) =>
  fromOpenVersions(tables)
    .where('fact_mentions.fact_id', 'in', ids)
    .select(['fact_mentions.fact_id', 'memories.id as memory_id', 'memories.seq', 'fact_mentions.basis']),
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
}

export const saidByVersions = listQuery<number, SaidRow>((tables, docs) =>
  tables
    .selectFrom('fact_mentions')
    .$call(join('facts', 'fact_mentions.fact_id'))
    .select(['fact_mentions.doc', 'fact_mentions.basis'])
    .select(['facts.id', 'facts.subject', 'facts.predicate', 'facts.object', 'facts.confidence'])
    .select(['facts.negated', 'facts.corrected', 'facts.updated_at'])
    .where('fact_mentions.doc', 'in', docs)
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

const saidIn: CountIn = new UserQuery((tables, { after, until }) =>
  tables
    .selectFrom('facts')
    .where('facts.trashed_at', 'is', null)
    .where('facts.doc', '>', after)
    .where('facts.doc', '<=', until)
    .where((eb) => eb.exists(liveMentions(tables, eb).select('fact_mentions.doc')))
    .select(sql<number>`count(*)`.as('count')),
);

const countBy = (name: string, query: CountIn): Count<{ readonly count: number }> => ({
  name,
  of: async (db) => {
    let count = 0;
    for await (const range of rangesOfFacts(db)) count += Number((await db.first(query, range))?.count ?? 0);
    return { count };
  },
});

/** Facts that are shown. */
export const visibleFactCount = countBy('facts', visibleIn);

/** Facts that live memories say, as derivation found. */
export const saidFacts = countBy('said facts', saidIn);
