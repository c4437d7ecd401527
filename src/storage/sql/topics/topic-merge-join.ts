import type { UserTables } from '../core/user-tables.ts';

/** Merges of topics, with the rows of the two topics as `source` and `target`. */
export const mergesWithTopics = (tables: UserTables) =>
  tables
    .selectFrom('topic_merges')
    .innerJoin('topics as source', (join) =>
      join
        .onRef('source.user_id', '=', 'topic_merges.user_id')
        .onRef('source.id', '=', 'topic_merges.source_id'),
    )
    .innerJoin('topics as target', (join) =>
      join
        .onRef('target.user_id', '=', 'topic_merges.user_id')
        .onRef('target.id', '=', 'topic_merges.target_id'),
    );
