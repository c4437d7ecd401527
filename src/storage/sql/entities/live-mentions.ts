import { join } from '../core/joins.ts';
import type { UserTables } from '../core/user-tables.ts';

/** Mentions in what live memories say now, with the entity named (`entities`) and the one that it is shown as (`shown`). */
export const liveMentions = (tables: UserTables) =>
  tables
    .selectFrom('entity_mentions')
    .$call(join('memory_versions', 'entity_mentions.doc', 'doc'))
    .$call(join('memories', 'memory_versions.memory_seq', 'seq'))
    .$call(join('entities', 'entity_mentions.entity_id'))
    .$call(join('entities as shown', 'entities.canonical_id'))
    .where('memory_versions.closed_at', 'is', null)
    .where(tables.liveMemory())
    .where('shown.trashed_at', 'is', null);
