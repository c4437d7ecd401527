import { sql } from 'kysely';
import type {
  FinderMethod,
  ReasonGroup,
  RelationshipCandidate,
  ReviewedRelationship,
  ReviewQuery,
} from '../../../domain/relationships/found-relationship.ts';
import type { RelationshipType } from '../../../domain/relationships/relationship.ts';
import type { Page } from '../../../domain/shared/page.ts';
import { join, related } from '../core/joins.ts';
import { pageOf } from '../core/page-of.ts';
import type { UserDatabase } from '../core/user-database.ts';
import type { UserTables } from '../core/user-tables.ts';
import { liveEdges } from './live-edges.ts';
import { edgeColumns, toEvidence, toRelationship } from './relationship-store.ts';

const groupsMax = 100;

/** Candidates of open versions of live memories, decided ones included. */
export const liveCandidates = (tables: UserTables) =>
  tables
    .selectFrom('edge_candidates')
    .$call(join('memory_versions', 'edge_candidates.doc', 'doc'))
    .$call(join('memories as source', 'memory_versions.memory_seq', 'seq'))
    .$call(join('memories as target', 'edge_candidates.target_id'))
    .where('memory_versions.closed_at', 'is', null)
    .where(tables.liveMemory('source'))
    .where(tables.liveMemory('target'));

/** Those without a relationship that stands, or that a person removed. */
const undecided = (tables: UserTables, minConfidence: number) =>
  liveCandidates(tables)
    .where('edge_candidates.confidence', '>=', minConfidence)
    .where((eb) =>
      eb.not(
        eb.exists(
          related(eb, 'memory_edges', 'source.id', 'source_id')
            .select('memory_edges.id')
            .whereRef('memory_edges.target_id', '=', 'edge_candidates.target_id')
            .whereRef('memory_edges.type', '=', 'edge_candidates.type')
            .where((edge) =>
              edge.or([edge('memory_edges.removed_at', 'is', null), edge('memory_edges.withdrawn', '=', 0)]),
            ),
        ),
      ),
    );

export const candidateColumns = [
  'source.id as source_id',
  'edge_candidates.target_id',
  'edge_candidates.doc',
  'edge_candidates.type',
  'edge_candidates.confidence',
  'edge_candidates.reason',
  'edge_candidates.evidence',
  'edge_candidates.created_at',
  'edge_candidates.creation_method',
] as const;

export interface CandidateRow {
  readonly source_id: string;
  readonly target_id: string;
  readonly type: string;
  readonly confidence: number;
  readonly reason: string;
  readonly evidence: string;
  readonly created_at: number;
  readonly creation_method: string;
}

export const toCandidate = (row: CandidateRow): RelationshipCandidate => ({
  sourceMemoryId: row.source_id,
  targetMemoryId: row.target_id,
  type: row.type as RelationshipType,
  confidence: row.confidence,
  reason: row.reason,
  evidence: toEvidence(row.evidence),
  createdAt: row.created_at,
  creationMethod: row.creation_method as FinderMethod,
});

export async function reviewCandidates(
  { tables }: UserDatabase,
  { type, minConfidence = 0, reasonKind, ...request }: ReviewQuery,
): Promise<Page<ReviewedRelationship>> {
  let rows = undecided(tables, minConfidence);
  if (type !== undefined) rows = rows.where('edge_candidates.type', '=', type);
  if (reasonKind !== undefined) rows = rows.where('edge_candidates.reason_kind', '=', reasonKind);
  const by = [
    { column: 'edge_candidates.confidence', order: 'desc', part: 'number' },
    { column: 'edge_candidates.doc', order: 'desc', part: 'integer' },
    { column: 'edge_candidates.target_id', order: 'asc', part: 'text' },
    { column: 'edge_candidates.type', order: 'asc', part: 'text' },
  ] as const;
  const page = await pageOf(rows, rows.select(candidateColumns), { by, request });
  return { ...page, items: page.items.map((row) => ({ ...toCandidate(row), state: 'candidate' as const })) };
}

export async function reviewActive(
  { tables }: UserDatabase,
  { type, minConfidence = 0, isUndecided, ...request }: ReviewQuery,
): Promise<Page<ReviewedRelationship>> {
  let rows = liveEdges(tables).where('memory_edges.confidence', '>=', minConfidence);
  if (type !== undefined) rows = rows.where('memory_edges.type', '=', type);
  if (isUndecided)
    rows = rows
      .where('memory_edges.creation_method', 'in', ['auto-semantic', 'auto-llm'])
      .where('memory_edges.accepted_at', 'is', null);
  const by = [
    { column: 'memory_edges.confidence', order: 'desc', part: 'number' },
    { column: 'memory_edges.created_at', order: 'desc', part: 'integer' },
    { column: 'memory_edges.id', order: 'asc', part: 'text' },
  ] as const;
  const page = await pageOf(rows, rows.select(edgeColumns), { by, request });
  return { ...page, items: page.items.map((row) => ({ ...toRelationship(row), state: 'active' as const })) };
}

export async function reasonGroups({ tables }: UserDatabase, minConfidence: number): Promise<ReasonGroup[]> {
  const rows = await undecided(tables, minConfidence)
    .select(['edge_candidates.reason_kind', 'edge_candidates.type'])
    .select(sql<number | string>`count(*)`.as('count'))
    .groupBy(['edge_candidates.reason_kind', 'edge_candidates.type'])
    .orderBy('count', 'desc')
    .orderBy('edge_candidates.reason_kind')
    .limit(groupsMax)
    .execute();
  return rows.map(({ reason_kind, type, count }) => ({
    reasonKind: reason_kind,
    type: type as RelationshipType,
    count: Number(count),
  }));
}
