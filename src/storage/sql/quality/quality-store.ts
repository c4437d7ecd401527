import { sql } from 'kysely';
import type { EffectiveState } from '../../../domain/memories/memory.ts';
import type { QualityReader } from '../../../domain/quality/quality.ts';
import { join, related } from '../core/joins.ts';
import { UserRecords } from '../core/user-database.ts';
import { UserQuery } from '../core/user-query.ts';

const count = sql<number>`count(*)`.as('count');

const traitsAfterSeq = new UserQuery((tables, { seq, limit }: { seq: number; limit: number }) =>
  tables
    .selectFrom('memories')
    .$call(join('memory_versions', 'memories.doc', 'doc'))
    .select(['memories.id', 'memories.seq', 'memories.created_at', 'memories.chain_id'])
    .select(['memory_versions.content', 'memory_versions.effective_state', 'memory_versions.importance'])
    .select('memory_versions.name')
    .select((eb) => [
      related(eb, 'memory_edges', 'memories.id', 'source_id')
        .where('memory_edges.removed_at', 'is', null)
        .select(count)
        .as('outgoing'),
      related(eb, 'memory_edges', 'memories.id', 'target_id')
        .where('memory_edges.removed_at', 'is', null)
        .select(count)
        .as('incoming'),
      related(eb, 'entity_mentions', 'memories.doc', 'doc').select(count).as('entities'),
      related(eb, 'fact_mentions', 'memories.doc', 'doc').select(count).as('facts'),
      related(eb, 'fact_sources', 'memories.id', 'memory_id').select(count).as('stated'),
      related(eb, 'search_feedback', 'memories.id', 'memory_id')
        .where('search_feedback.action', '=', 'selected')
        .select(count)
        .as('selected'),
      related(eb, 'search_feedback', 'memories.id', 'memory_id')
        .where('search_feedback.action', '=', 'not_selected')
        .select(count)
        .as('not_selected'),
    ])
    .where(tables.liveMemory())
    .where('memories.seq', '>', seq)
    .orderBy('memories.seq')
    .limit(limit),
);

export class SqlQualityReader extends UserRecords implements QualityReader {
  async traitsAfter(seq: number, limit: number): ReturnType<QualityReader['traitsAfter']> {
    const rows = await this.db.all(traitsAfterSeq, { seq, limit });
    return {
      traits: rows.map((row) => ({
        id: row.id,
        content: row.content,
        createdAt: row.created_at,
        effectiveState: row.effective_state as EffectiveState,
        importance: row.importance,
        edges: Number(row.outgoing) + Number(row.incoming),
        derived: Number(row.entities) + Number(row.facts) + Number(row.stated),
        selected: Number(row.selected),
        notSelected: Number(row.not_selected),
        isNamed: row.name !== null || row.chain_id !== null,
      })),
      lastSeq: rows.at(-1)?.seq,
    };
  }

  async narrativeEnds(): Promise<ReadonlySet<string>> {
    const rows = await this.db.tables
      .selectFrom('narratives')
      .select(['first_root_id', 'resolution_id'])
      .where('trashed_at', 'is', null)
      .execute();
    return new Set(rows.flatMap(({ first_root_id, resolution_id }) => [first_root_id, resolution_id ?? '']));
  }
}
