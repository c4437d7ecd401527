import { deriveStepKey } from '../../../domain/derivation/deriver.ts';
import type { Memory } from '../../../domain/memories/memory.ts';
import type {
  ExtractionStatus,
  FinderMethod,
  FoundRelationship,
  FoundRelationshipReader,
  FoundRelationshipWriter,
  KnownRelationship,
  ReasonGroup,
  RelationshipCandidate,
  RelationshipEnds,
  ReviewedRelationship,
  ReviewQuery,
  SubjectMention,
  VersionOutline,
} from '../../../domain/relationships/found-relationship.ts';
import { reasonKindOf } from '../../../domain/relationships/found-relationship.ts';
import type { TextPlace } from '../../../domain/relationships/relationship.ts';
import { relateStepKey } from '../../../domain/relationships/relationship-steps.ts';
import type { Page } from '../../../domain/shared/page.ts';
import { chunksOf } from '../../../lib/collections.ts';
import { nextRev } from '../core/change-counter.ts';
import { related } from '../core/joins.ts';
import { listArguments, listQuery } from '../core/list-query.ts';
import { UserRecords } from '../core/user-database.ts';
import { UserQuery } from '../core/user-query.ts';
import type { UserTables } from '../core/user-tables.ts';
import { type MemoryRow, toMemory } from '../memories/memory-columns.ts';
import { versionsWithIdentity } from '../memories/memory-reader.ts';
import {
  type CandidateRow,
  candidateColumns,
  liveCandidates,
  reasonGroups,
  reviewActive,
  reviewCandidates,
  toCandidate,
} from './candidates.ts';
import { edgesBetweenLive, liveEdges } from './live-edges.ts';
import { type EdgeRow, edgeColumns, textsAt, toRelationship } from './relationship-store.ts';
import { mentionsOfSubject, sharingNames, subjectsOf } from './shared-derivations.ts';
import { outlinesOf } from './version-outlines.ts';

const candidatesOf = (tables: UserTables, method: FinderMethod) =>
  tables.selectFrom('edge_candidates').where('creation_method', '=', method);

const knownColumns = [...edgeColumns, 'memory_edges.removed_at', 'memory_edges.withdrawn'] as const;

type KnownEdgeRow = EdgeRow & { readonly removed_at: number | null; readonly withdrawn: number };

const toKnownRelationship = (row: KnownEdgeRow): KnownRelationship => ({
  ...toRelationship(row),
  isActive: row.removed_at === null,
  isWithdrawn: row.withdrawn === 1,
});

const edgesIntoAny = listQuery<string, KnownEdgeRow>((tables, ids) =>
  tables
    .selectFrom('memory_edges')
    .select(knownColumns)
    .where('memory_edges.target_id', 'in', ids)
    .where('memory_edges.creation_method', '!=', 'auto-temporal'),
);

/** Two statements: with an OR, SQLite walks all edges of the user. */
const edgesAtEnds = (['source_id', 'target_id'] as const).map(
  (end) =>
    new UserQuery<{ memoryId: string; limit: number }, KnownEdgeRow>((tables, { memoryId, limit }) =>
      tables
        .selectFrom('memory_edges')
        .select(knownColumns)
        .where(`memory_edges.${end}`, '=', memoryId)
        .orderBy('memory_edges.created_at', 'desc')
        .orderBy('memory_edges.seq', 'desc')
        .limit(limit),
    ),
);

const ends = [
  ['source', 'target'],
  ['target', 'source'],
] as const;

/** Docs at the other ends of automatic edges and of candidates. */
const relatedByEdge = ends.flatMap(([here, there]) => [
  new UserQuery((tables, { memoryId, limit }: { memoryId: string; limit: number }) =>
    liveEdges(tables)
      .select(`${there}.doc`)
      .where(`memory_edges.${here}_id`, '=', memoryId)
      .where('memory_edges.creation_method', '=', 'auto-semantic')
      .limit(limit),
  ),
  new UserQuery((tables, { memoryId, limit }: { memoryId: string; limit: number }) =>
    liveCandidates(tables).select(`${there}.doc`).where(`${here}.id`, '=', memoryId).limit(limit),
  ),
]);

const openDocsOf = listQuery((tables, ids: readonly string[]) =>
  tables
    .selectFrom('memories')
    .select(['memories.id', 'memories.doc'])
    .where('memories.id', 'in', ids)
    .where(tables.liveMemory()),
);

const openVersionsOf = listQuery<number, MemoryRow>((tables, docs) =>
  versionsWithIdentity(tables)
    .where('memory_versions.doc', 'in', docs)
    .where('memory_versions.closed_at', 'is', null)
    .where(tables.liveMemory())
    .where((eb) => {
      const work = related(eb, 'jobs', 'memory_versions.doc', 'doc').select('jobs.doc');
      const parked = work.where('jobs.step', '=', deriveStepKey.name).where('jobs.due_at', 'is', null);
      return eb.not(eb.exists(parked));
    }),
);

/** The document of a version, if it has candidates of the rules. */
const candidateDocOf = new UserQuery((tables, { doc }: { doc: number }) =>
  candidatesOf(tables, 'auto-semantic').select('doc').where('doc', '=', doc).limit(1),
);

/** Versions with candidates of the rules that point to a memory. */
const candidateDocsTo = new UserQuery((tables, { memoryId }: { memoryId: string }) =>
  candidatesOf(tables, 'auto-semantic').select('doc').where('target_id', '=', memoryId),
);

const candidateKey = ['user_id', 'doc', 'target_id', 'type'] as const;

const candidateRow = (edge: FoundRelationship, method: FinderMethod, at: number) => ({
  target_id: edge.targetMemoryId,
  type: edge.type,
  confidence: edge.confidence,
  reason: edge.reason,
  reason_kind: reasonKindOf(edge.reason),
  evidence: JSON.stringify(edge.evidence),
  created_at: at,
  creation_method: method,
});

export class SqlFoundRelationshipReader extends UserRecords implements FoundRelationshipReader {
  async knownAround(memoryId: string, limit: number): Promise<KnownRelationship[]> {
    const found: KnownRelationship[] = [];
    for (const edgesAt of edgesAtEnds)
      for (const row of await this.db.all(edgesAt, { memoryId, limit })) found.push(toKnownRelationship(row));
    return found;
  }

  async knownInto(memoryIds: readonly string[]): Promise<KnownRelationship[]> {
    if (memoryIds.length === 0) return [];
    const rows = await this.db.all(edgesIntoAny(memoryIds.length), listArguments(memoryIds));
    return rows.map(toKnownRelationship);
  }

  async candidatesAround(memoryId: string, limit: number): Promise<RelationshipCandidate[]> {
    const found: CandidateRow[] = [];
    for (const end of ['source.id', 'target.id'] as const)
      found.push(
        ...(await liveCandidates(this.db.tables)
          .select(candidateColumns)
          .where(end, '=', memoryId)
          .orderBy('edge_candidates.confidence', 'desc')
          .orderBy('edge_candidates.doc', 'desc')
          .orderBy('target.seq', 'desc')
          .limit(limit)
          .execute()),
      );
    return found
      .map(toCandidate)
      .sort((a, b) => b.confidence - a.confidence)
      .slice(0, limit);
  }

  review(query: ReviewQuery): Promise<Page<ReviewedRelationship>> {
    return query.state === 'candidate' ? reviewCandidates(this.db, query) : reviewActive(this.db, query);
  }

  reasonGroups(minConfidence: number): Promise<ReasonGroup[]> {
    return reasonGroups(this.db, minConfidence);
  }

  async candidate({ sourceMemoryId, targetMemoryId, type }: RelationshipEnds) {
    const row = await liveCandidates(this.db.tables)
      .select(candidateColumns)
      .where('source.id', '=', sourceMemoryId)
      .where('target.id', '=', targetMemoryId)
      .where('edge_candidates.type', '=', type)
      .executeTakeFirst();
    return row && toCandidate(row);
  }

  async knownWith({ sourceMemoryId, targetMemoryId, type }: RelationshipEnds): Promise<KnownRelationship[]> {
    const rows = await this.db.tables
      .selectFrom('memory_edges')
      .select(knownColumns)
      .where('source_id', '=', sourceMemoryId)
      .where('target_id', '=', targetMemoryId)
      .where('type', '=', type)
      .orderBy('seq', 'desc')
      .limit(1000)
      .execute();
    return rows.map(toKnownRelationship);
  }

  async knownById(id: string): Promise<KnownRelationship | undefined> {
    const row = await edgesBetweenLive(this.db.tables)
      .select(knownColumns)
      .where('memory_edges.id', '=', id)
      .executeTakeFirst();
    return row && toKnownRelationship(row);
  }

  outlines(docs: readonly number[]): Promise<ReadonlyMap<number, VersionOutline>> {
    return outlinesOf(this.db, docs);
  }

  async relatedDocs(memoryId: string, limit: number): Promise<number[]> {
    const docs = new Set<number>();
    for (const query of relatedByEdge)
      for (const { doc } of await this.db.all(query, { memoryId, limit })) docs.add(doc);
    return [...docs];
  }

  async openDocs(ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const open = new Map<string, number>();
    for (const chunk of chunksOf(ids))
      for (const { id, doc } of await this.db.all(openDocsOf(chunk.length), listArguments(chunk)))
        open.set(id, doc);
    return open;
  }

  async openVersions(docs: readonly number[]): Promise<Memory[]> {
    if (docs.length === 0) return [];
    return (await this.db.all(openVersionsOf(docs.length), listArguments(docs))).map(toMemory);
  }

  async extractionStatusOf(doc: number): Promise<ExtractionStatus | undefined> {
    const { tables } = this.db;
    const work = await tables
      .selectFrom('jobs')
      .select(['due_at', 'taken'])
      .where('doc', '=', doc)
      .where('step', 'in', [deriveStepKey.name, relateStepKey.name])
      .execute();
    if (work.some(({ due_at }) => due_at === null)) return 'failed';
    if (work.length > 0) return work.some(({ taken }) => taken === 1) ? 'running' : 'pending';
    const derived = tables.selectFrom('derivations').select('skip_reason').where('doc', '=', doc);
    const row = await derived.executeTakeFirst();
    if (!row) return undefined;
    return row.skip_reason === null ? 'completed' : 'skipped';
  }

  subjectsOf(docs: readonly number[]): Promise<SubjectMention[]> {
    return subjectsOf(this.db, docs);
  }

  mentionsOfSubject(subject: string, fact: number, limit: number): Promise<SubjectMention[][]> {
    return mentionsOfSubject(this.db, subject, fact, limit);
  }

  sharingNames(docs: readonly number[], limit: number): Promise<ReadonlyMap<number, readonly number[]>> {
    return sharingNames(this.db, docs, limit);
  }

  textsAt(places: readonly TextPlace[]): Promise<(string | undefined)[]> {
    return textsAt(this.db, places);
  }
}

export class SqlFoundRelationshipWriter
  extends SqlFoundRelationshipReader
  implements FoundRelationshipWriter
{
  async withdraw(id: string, at: number): Promise<void> {
    await nextRev(this.db, { documents: 0, terms: 0 }, { kind: 'relationship', action: 'deleted', id });
    await this.db.tables
      .updateTable('memory_edges')
      .set({ removed_at: at, withdrawn: 1 })
      .where('id', '=', id)
      .execute();
  }

  async setAccepted(id: string, at: number | undefined): Promise<void> {
    await this.db.tables
      .updateTable('memory_edges')
      .set({ accepted_at: at ?? null })
      .where('id', '=', id)
      .execute();
  }

  async allowAgain(id: string): Promise<void> {
    await this.db.tables.updateTable('memory_edges').set({ withdrawn: 1 }).where('id', '=', id).execute();
  }

  async renew(id: string, { confidence, reason, evidence }: FoundRelationship): Promise<void> {
    await this.db.tables
      .updateTable('memory_edges')
      .set({ confidence, reason, evidence: JSON.stringify(evidence) })
      .where('id', '=', id)
      .execute();
  }

  async replaceCandidates(
    memory: Pick<Memory, 'id' | 'doc'>,
    others: readonly { readonly id: string; readonly doc: number }[],
    found: readonly FoundRelationship[],
    at: number,
  ): Promise<void> {
    const { id: memoryId, doc: own } = memory;
    if (await this.db.first(candidateDocOf, { doc: own }))
      await this.#remove('auto-semantic').where('doc', '=', own).execute();
    const compared = new Set(others.map(({ doc }) => doc));
    const pointing = (await this.db.all(candidateDocsTo, { memoryId })).map(({ doc }) => doc);
    for (const chunk of chunksOf(pointing.filter((doc) => compared.has(doc))))
      await this.#remove('auto-semantic')
        .where('doc', 'in', chunk)
        .where('target_id', '=', memoryId)
        .execute();
    const docs = new Map([...others, memory].map(({ id, doc }) => [id, doc]));
    if (found.length > 0)
      await nextRev(
        this.db,
        { documents: 0, terms: 0 },
        { kind: 'candidate', action: 'created', id: memoryId },
      );
    for (const edge of found) {
      const doc = docs.get(edge.sourceMemoryId);
      if (doc === undefined) throw new Error('A candidate is of a memory that was not compared.');
      const row = candidateRow(edge, 'auto-semantic', at);
      await this.db.tables
        .insertInto('edge_candidates', { ...row, doc })
        // An LLM may have proposed the same edge: the candidate of the rules replaces it.
        .onConflict((conflict) => conflict.columns([...candidateKey]).doUpdateSet(row))
        .execute();
    }
  }

  async replaceProposed(doc: number, found: readonly FoundRelationship[], at: number): Promise<void> {
    await this.#remove('auto-llm').where('doc', '=', doc).execute();
    for (const edge of found)
      await this.db.tables
        .insertInto('edge_candidates', { ...candidateRow(edge, 'auto-llm', at), doc })
        .onConflict((conflict) => conflict.columns([...candidateKey]).doNothing())
        .execute();
  }

  #remove(method: FinderMethod) {
    return this.db.tables.deleteFrom('edge_candidates').where('creation_method', '=', method);
  }

  async removeCandidate({ sourceMemoryId, targetMemoryId, type }: FoundRelationship): Promise<void> {
    const { tables } = this.db;
    await tables
      .deleteFrom('edge_candidates')
      .where('target_id', '=', targetMemoryId)
      .where('type', '=', type)
      .where('doc', 'in', tables.selectFrom('memories').select('doc').where('id', '=', sourceMemoryId))
      .execute();
  }
}
