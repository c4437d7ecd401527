import { sql } from 'kysely';
import type { EffectiveState, Memory, OutdatedPart } from '../../../domain/memories/memory.ts';
import type {
  CreationMethod,
  Direction,
  NewerMemory,
  Relationship,
  RelationshipEvidence,
  RelationshipReader,
  RelationshipType,
  RelationshipWriter,
  StoredState,
  Supersession,
  TextPlace,
} from '../../../domain/relationships/relationship.ts';
import { chunksOf } from '../../../lib/collections.ts';
import { nextRev } from '../core/change-counter.ts';
import { join } from '../core/joins.ts';
import { listArguments, listQuery } from '../core/list-query.ts';
import { insertion } from '../core/record-columns.ts';
import type { MemoryEdgesTable } from '../core/schema.ts';
import { type UserDatabase, UserRecords } from '../core/user-database.ts';
import { UserQuery } from '../core/user-query.ts';
import { neighboursInChains, outdatedAmong } from '../memories/version-chains.ts';
import { decidesState, edgesAsOf, liveEdges, stateKept } from './live-edges.ts';
import { newerOf } from './newer-memories.ts';

export type EdgeRow = Omit<MemoryEdgesTable, 'user_id' | 'removed_at' | 'withdrawn'>;

export const edgeColumns = [
  'memory_edges.id',
  'memory_edges.source_id',
  'memory_edges.target_id',
  'memory_edges.type',
  'memory_edges.confidence',
  'memory_edges.creation_method',
  'memory_edges.reason',
  'memory_edges.created_at',
  'memory_edges.seq',
  'memory_edges.evidence',
  'memory_edges.accepted_at',
] as const;

export function toRelationship(row: EdgeRow): Relationship {
  return {
    id: row.id,
    sourceMemoryId: row.source_id,
    targetMemoryId: row.target_id,
    type: row.type as RelationshipType,
    confidence: row.confidence,
    creationMethod: row.creation_method as CreationMethod,
    reason: row.reason,
    createdAt: row.created_at,
    ...(row.evidence === null ? {} : { evidence: toEvidence(row.evidence) }),
    ...(row.accepted_at === null ? {} : { acceptedAt: row.accepted_at }),
  };
}

/** Numbers only, as they were written; see `RelationshipEvidence`. */
export const toEvidence = (text: string) => JSON.parse(text) as RelationshipEvidence;

const edgesAt = (end: 'source_id' | 'target_id') =>
  new UserQuery<{ memoryId: string; limit: number }, EdgeRow>((tables, { memoryId, limit }) =>
    liveEdges(tables)
      .select(edgeColumns)
      .where(`memory_edges.${end}`, '=', memoryId)
      .orderBy('memory_edges.created_at')
      .orderBy('memory_edges.seq')
      .orderBy('memory_edges.id')
      .limit(limit),
  );
const edgesOf = { outgoing: edgesAt('source_id'), incoming: edgesAt('target_id') } as const;

/** Ids decide between edges of stores that did not number them yet. */
const oldestFirst = (a: EdgeRow, b: EdgeRow) =>
  a.created_at - b.created_at || a.seq - b.seq || (a.id < b.id ? -1 : 1);

const incomingTypesOf = listQuery((tables, ids: readonly string[]) =>
  liveEdges(tables)
    .select(['memory_edges.target_id', 'memory_edges.type'])
    .distinct()
    .where('memory_edges.target_id', 'in', ids)
    .where(decidesState),
);

const partsOf = listQuery((tables, ids: readonly string[]) =>
  liveEdges(tables)
    .select(['memory_edges.source_id as by', 'memory_edges.target_id as id', 'memory_edges.evidence'])
    .where('memory_edges.target_id', 'in', ids)
    .where('memory_edges.type', '=', 'SUPERSEDES')
    .where('memory_edges.evidence', 'like', stateKept),
);

const statesAfterId = new UserQuery((tables, { after, limit }: { after: string; limit: number }) =>
  tables
    .selectFrom('memories')
    .$call(join('memory_versions', 'memories.doc', 'doc'))
    .select(['memories.id as memoryId', 'memory_versions.effective_state as effectiveState'])
    .select(['memory_versions.outdated_parts as outdatedParts'])
    .where(tables.liveMemory())
    .where('memories.id', '>', after)
    .orderBy('memories.id')
    .limit(limit),
);

const insertEdge = insertion('memory_edges', [
  ...['id', 'source_id', 'target_id', 'type', 'confidence', 'creation_method', 'reason', 'created_at', 'seq'],
  ...['evidence', 'removed_at', 'accepted_at', 'withdrawn'],
]);

export class SqlRelationshipReader extends UserRecords implements RelationshipReader {
  /** Two statements for `both`: with an OR, SQLite walks all edges of the user. */
  async listOf(memoryId: string, direction: Direction, limit: number): Promise<Relationship[]> {
    const directions = direction === 'both' ? (['outgoing', 'incoming'] as const) : [direction];
    const found: EdgeRow[] = [];
    for (const one of directions) found.push(...(await this.db.all(edgesOf[one], { memoryId, limit })));
    return found.sort(oldestFirst).slice(0, limit).map(toRelationship);
  }

  /** Two statements, as for `listOf`. */
  async listTouching(memoryIds: readonly string[], limit: number): Promise<Relationship[]> {
    const found: Relationship[] = [];
    for (const chunk of chunksOf(memoryIds))
      for (const end of ['source_id', 'target_id'] as const) {
        const rows = await liveEdges(this.db.tables)
          .select(edgeColumns)
          .where(`memory_edges.${end}`, 'in', chunk)
          .limit(limit)
          .execute();
        found.push(...rows.map(toRelationship));
      }
    return found.slice(0, limit);
  }

  async countOutgoing(memoryId: string, type: RelationshipType): Promise<number> {
    const row = await liveEdges(this.db.tables)
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('memory_edges.source_id', '=', memoryId)
      .where('memory_edges.type', '=', type)
      .executeTakeFirst();
    return Number(row?.count ?? 0);
  }

  async find(id: string): Promise<Relationship | undefined> {
    const row = await liveEdges(this.db.tables)
      .select(edgeColumns)
      .where('memory_edges.id', '=', id)
      .executeTakeFirst();
    return row && toRelationship(row);
  }

  async findEqual(
    sourceId: string,
    targetId: string,
    type: RelationshipType,
  ): Promise<Relationship | undefined> {
    const row = await liveEdges(this.db.tables)
      .select(edgeColumns)
      .where('memory_edges.source_id', '=', sourceId)
      .where('memory_edges.target_id', '=', targetId)
      .where('memory_edges.type', '=', type)
      .executeTakeFirst();
    return row && toRelationship(row);
  }

  async wasRemoved(sourceId: string, targetId: string, type: RelationshipType): Promise<boolean> {
    const row = await this.db.tables
      .selectFrom('memory_edges')
      .select('id')
      .where('source_id', '=', sourceId)
      .where('target_id', '=', targetId)
      .where('type', '=', type)
      .where('creation_method', '=', 'manual')
      .where('removed_at', 'is not', null)
      .executeTakeFirst();
    return row !== undefined;
  }

  async supersessions(
    memoryIds: readonly string[],
    direction: 'outgoing' | 'incoming',
    limit: number,
  ): Promise<Supersession[]> {
    const found: Supersession[] = [];
    for (const chunk of chunksOf(memoryIds)) {
      const rows = await this.db.tables
        .selectFrom('memory_edges')
        .select(['source_id as sourceId', 'target_id as targetId'])
        .where(direction === 'outgoing' ? 'source_id' : 'target_id', 'in', chunk)
        .where('type', '=', 'SUPERSEDES')
        .where('removed_at', 'is', null)
        .where(decidesState)
        // In no order: asked for one, SQLite walks all edges of the user along it instead of seeking these.
        .limit(limit - found.length)
        .execute();
      found.push(...rows, ...(await neighboursInChains(this.db.tables, chunk, direction)));
      if (found.length >= limit) break;
    }
    return found.slice(0, limit);
  }

  async statesAfter(after: string, limit: number): Promise<StoredState[]> {
    const rows = await this.db.all(statesAfterId, { after, limit });
    return rows.map(({ memoryId, effectiveState, outdatedParts }) => ({
      memoryId,
      effectiveState: effectiveState as EffectiveState,
      hasParts: outdatedParts !== null,
    }));
  }

  async incomingTypes(memoryIds: readonly string[]): Promise<Map<string, RelationshipType[]>> {
    const types = new Map<string, RelationshipType[]>();
    for (const chunk of chunksOf(memoryIds)) {
      for (const row of await this.db.all(incomingTypesOf(chunk.length), listArguments(chunk))) {
        const type = row.type as RelationshipType;
        types.set(row.target_id, [...(types.get(row.target_id) ?? []), type]);
      }
      for (const { id } of await this.db.all(outdatedAmong(chunk.length), listArguments(chunk)))
        types.set(id, [...(types.get(id) ?? []).filter((type) => type !== 'SUPERSEDES'), 'SUPERSEDES']);
    }
    return types;
  }

  async outdatedParts(
    memories: readonly Pick<Memory, 'id' | 'doc' | 'content'>[],
  ): Promise<Map<string, OutdatedPart[]>> {
    const byId = new Map(memories.map((memory) => [memory.id, memory]));
    const parts = new Map<string, OutdatedPart[]>();
    for (const chunk of chunksOf([...byId.keys()]))
      for (const { id, by, evidence } of await this.db.all(partsOf(chunk.length), listArguments(chunk))) {
        const memory = byId.get(id);
        const { earlier, also = [] } = toEvidence(String(evidence));
        for (const place of [earlier, ...also]) {
          const [doc, start, end] = place;
          const [words] = memory?.doc === doc ? [''] : await textsAt(this.db, [place]);
          // The text may have changed since it was compared.
          if (words !== undefined && memory?.content.startsWith(words, start))
            parts.set(id, [...(parts.get(id) ?? []), { start, end, by }]);
        }
      }
    for (const list of parts.values()) list.sort((a, b) => a.start - b.start || (a.by < b.by ? -1 : 1));
    return parts;
  }

  async partlyReplaced(memoryIds: readonly string[]): Promise<Set<string>> {
    const found = new Set<string>();
    for (const chunk of chunksOf(memoryIds))
      for (const { id } of await this.db.all(partsOf(chunk.length), listArguments(chunk))) found.add(id);
    return found;
  }

  async supersedingSeqs(seqs: readonly number[], asOf: number | undefined): Promise<number[]> {
    const found = new Set<number>();
    for (const chunk of chunksOf(seqs)) {
      // First their ids: joined by seq, SQLite begins with all edges of the user.
      const known = await this.db.tables
        .selectFrom('memories')
        .select('id')
        .where('seq', 'in', chunk)
        .where(this.db.tables.liveMemory())
        .execute();
      if (known.length === 0) continue;
      const ids = known.map(({ id }) => id);
      for (const [here, there] of [
        ['memory_edges.source_id', 'target.seq'],
        ['memory_edges.target_id', 'source.seq'],
      ] as const) {
        const edges = asOf === undefined ? liveEdges(this.db.tables) : edgesAsOf(this.db.tables, asOf);
        const rows = await edges
          .select(`${there} as seq`)
          .where('memory_edges.type', '=', 'SUPERSEDES')
          .where(here, 'in', ids)
          .execute();
        for (const { seq } of rows) found.add(seq);
      }
    }
    return [...found];
  }

  newerOf(seqs: readonly number[], asOf: number | undefined): Promise<Map<number, NewerMemory[]>> {
    return newerOf(this.db, seqs, asOf);
  }

  async targetsOf(memoryIds: readonly string[]): Promise<string[]> {
    if (memoryIds.length === 0) return [];
    const rows = await this.db.tables
      .selectFrom('memory_edges')
      .select('target_id')
      .distinct()
      .where('source_id', 'in', memoryIds)
      .where('removed_at', 'is', null)
      .execute();
    return rows.map((row) => row.target_id);
  }
}

export class SqlRelationshipWriter extends SqlRelationshipReader implements RelationshipWriter {
  async remove(id: string, at: number): Promise<void> {
    await nextRev(this.db, { documents: 0, terms: 0 }, { kind: 'relationship', action: 'deleted', id });
    await this.db.tables.updateTable('memory_edges').set({ removed_at: at }).where('id', '=', id).execute();
  }

  async insert(edge: Relationship): Promise<void> {
    const seq = await nextRev(
      this.db,
      { documents: 0, terms: 0 },
      { kind: 'relationship', action: 'created', id: edge.id },
    );
    const { id, sourceMemoryId, targetMemoryId, type, confidence, creationMethod, reason, createdAt } = edge;
    await this.db.all(insertEdge, [
      ...[id, sourceMemoryId, targetMemoryId, type, confidence, creationMethod, reason, createdAt, seq],
      ...[edge.evidence ? JSON.stringify(edge.evidence) : null, null, edge.acceptedAt ?? null, 0],
    ]);
  }
}

/** Edges are found by the first 4,000 UTF-16 units of a text, which are no more characters than that. */
const readMax = 4000;
const shownMax = 500;

/** The words at places in versions of memories, in order; undefined for an erased version. */
export async function textsAt(
  { tables }: UserDatabase,
  places: readonly TextPlace[],
): Promise<(string | undefined)[]> {
  const contents = new Map<number, string>();
  for (const chunk of chunksOf([...new Set(places.map(([doc]) => doc))])) {
    const rows = await tables
      .selectFrom('memory_versions')
      .select(['doc', sql<string>`substr(content, 1, ${sql.lit(readMax)})`.as('content')])
      .where('doc', 'in', chunk)
      .execute();
    for (const { doc, content } of rows) contents.set(doc, content);
  }
  return places.map(([doc, start, end]) =>
    contents
      .get(doc)
      ?.slice(start, Math.min(end, start + shownMax))
      .toWellFormed(),
  );
}

/**
 * Removes an LLM's proposals that are based on the former text of a
 * memory; those based on later texts are removed with their versions.
 */
export async function removeProposedTo({ tables }: UserDatabase, memoryId: string): Promise<void> {
  await tables
    .deleteFrom('edge_candidates')
    .where('target_id', '=', memoryId)
    .where('creation_method', '=', 'auto-llm')
    .execute();
}
