import type { ExpressionBuilder } from 'kysely';
import { join } from '../core/joins.ts';
import type { Database } from '../core/schema.ts';
import type { UserTables } from '../core/user-tables.ts';

/** Edges between two live memories, including removed edges. */
export const edgesBetweenLive = (tables: UserTables) =>
  tables
    .selectFrom('memory_edges')
    .$call(join('memories as source', 'memory_edges.source_id'))
    .$call(join('memories as target', 'memory_edges.target_id'))
    .where(tables.liveMemory('source'))
    .where(tables.liveMemory('target'));

/** Existing edges between two live memories. */
export const liveEdges = (tables: UserTables) =>
  edgesBetweenLive(tables).where('memory_edges.removed_at', 'is', null);

/** Edges that stood at a time. */
export const edgesAsOf = (tables: UserTables, asOf: number) =>
  edgesBetweenLive(tables)
    .where('memory_edges.created_at', '<=', asOf)
    .where((edge) =>
      edge.or([edge('memory_edges.removed_at', 'is', null), edge('memory_edges.removed_at', '>', asOf)]),
    );

/** In the evidence of edges that leave the state of their target as it is. */
export const stateKept = '%"keepsState"%';

/** Edges that decide the state of their target. */
export const decidesState = (edge: ExpressionBuilder<Pick<Database, 'memory_edges'>, 'memory_edges'>) =>
  edge.or([edge('memory_edges.evidence', 'is', null), edge('memory_edges.evidence', 'not like', stateKept)]);
