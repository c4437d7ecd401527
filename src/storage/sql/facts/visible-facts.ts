import type { ExpressionBuilder } from 'kysely';
import { join, type Reads, related } from '../core/joins.ts';
import type { UserTables } from '../core/user-tables.ts';
import { liveMentions } from './fact-mentions.ts';

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
