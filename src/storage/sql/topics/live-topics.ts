import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { join, type Reads, related } from '../core/joins.ts';
import type { UserTables } from '../core/user-tables.ts';

/** Whether a live memory has the topic that the statement reads as `topics`: from its client, or derived. */
export const isOnLiveMemory =
  (tables: UserTables) =>
  (eb: ExpressionBuilder<Reads<'topics'>, 'topics'>): Expression<SqlBool> =>
    eb.or([
      eb.exists(
        related(eb, 'memory_topics', 'topics.id', 'topic_id')
          .$call(join('memories', 'memory_topics.memory_id'))
          .where(tables.liveMemory())
          .select('memories.id'),
      ),
      eb.exists(
        related(eb, 'topics as alias', 'topics.id', 'canonical_id')
          .$call(join('derived_topics', 'alias.id', 'topic_id'))
          .$call(join('memory_versions', 'derived_topics.doc', 'doc'))
          .$call(join('memories', 'memory_versions.memory_seq', 'seq'))
          .whereRef('memories.doc', '=', 'derived_topics.doc')
          .where(tables.liveMemory())
          .select('memories.id'),
      ),
    ]);
