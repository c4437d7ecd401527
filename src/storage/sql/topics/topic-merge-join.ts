import { join } from '../core/joins.ts';
import type { UserTables } from '../core/user-tables.ts';

/** Merges of topics, with the rows of the two topics as `source` and `target`. */
export const mergesWithTopics = (tables: UserTables) =>
  tables
    .selectFrom('topic_merges')
    .$call(join('topics as source', 'topic_merges.source_id'))
    .$call(join('topics as target', 'topic_merges.target_id'));
