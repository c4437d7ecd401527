import type { Metadata } from '../../../domain/memories/metadata.ts';
import {
  evidenceMax,
  evidenceShownMax,
  type Pattern,
  type PatternEvidence,
  type PatternField,
  type PatternReader,
  type PatternSummary,
  type PatternType,
  type PatternWriter,
  type Sighting,
} from '../../../domain/patterns/pattern.ts';
import type { Page, PageRequest } from '../../../domain/shared/page.ts';
import { inPlaces } from '../../../domain/shared/page-bytes.ts';
import { chunksOf, groupBy } from '../../../lib/collections.ts';
import { nextRev } from '../core/change-counter.ts';
import type { PatternsTable } from '../core/derived-tables.ts';
import { join, related } from '../core/joins.ts';
import { listArguments, listQuery } from '../core/list-query.ts';
import { pageOf, type SortColumn } from '../core/page-of.ts';
import { countRows, UserRecords } from '../core/user-database.ts';
import { UserQuery } from '../core/user-query.ts';
import type { UserTables } from '../core/user-tables.ts';

/** @param memoryIds live ones that show it, the last first */
const toPattern = (row: PatternsTable, memoryIds: readonly string[]): Pattern => ({
  ...toSummary(row, memoryIds.length),
  evidence: memoryIds.slice(0, evidenceShownMax),
});

/** @param occurrences live memories that show it */
function toSummary(row: PatternsTable, occurrences: number): PatternSummary {
  return {
    id: row.id,
    key: row.pattern_key,
    type: row.type as PatternType,
    name: row.name,
    description: row.description,
    context: row.context,
    owner: row.owner,
    target: row.target,
    against: row.against,
    isNegated: row.negated === 1,
    confidence: row.confidence,
    baseConfidence: row.base_confidence,
    positives: row.positive_count,
    negatives: row.negative_count,
    feedback: row.feedback,
    edited: row.edited.split(',').filter(Boolean) as PatternField[],
    isActive: row.is_active === 1,
    metadata: row.metadata === null ? null : (JSON.parse(row.metadata) as Metadata),
    wordedBy: row.worded_by,
    firstSeen: row.first_seen_at,
    lastSeen: row.last_seen_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    occurrences,
  };
}

function toRow(pattern: Pattern): Omit<PatternsTable, 'user_id'> {
  return {
    id: pattern.id,
    pattern_key: pattern.key,
    type: pattern.type,
    name: pattern.name,
    description: pattern.description,
    context: pattern.context,
    owner: pattern.owner,
    target: pattern.target,
    against: pattern.against,
    negated: pattern.isNegated ? 1 : 0,
    confidence: pattern.confidence,
    base_confidence: pattern.baseConfidence,
    positive_count: pattern.positives,
    negative_count: pattern.negatives,
    feedback: pattern.feedback,
    edited: pattern.edited.join(','),
    is_active: pattern.isActive ? 1 : 0,
    metadata: pattern.metadata === null ? null : JSON.stringify(pattern.metadata),
    worded_by: pattern.wordedBy,
    first_seen_at: pattern.firstSeen,
    last_seen_at: pattern.lastSeen,
    created_at: pattern.createdAt,
    updated_at: pattern.updatedAt,
  };
}

/** Shown by a live memory, or edited by a person. */
const visiblePatterns = (tables: UserTables) =>
  tables
    .selectFrom('patterns')
    .where((eb) =>
      eb.or([
        eb('patterns.edited', '!=', ''),
        eb.exists(
          related(eb, 'pattern_evidence', 'patterns.id', 'pattern_id')
            .$call(join('memories', 'pattern_evidence.memory_id'))
            .where(tables.liveMemory())
            .select('pattern_evidence.memory_id'),
        ),
      ]),
    );

/** Each with at most `evidenceMax` memories: some 10 ms of SQLite. */
const readAtOnce = 40;

type CountedRow = PatternsTable & { live: number | string };

/** In order of id, each with the number of its live memories; one that is not seen has none, and was not edited. */
const countedAfter = new UserQuery<{ id: string; limit: number }, CountedRow>((tables, { id, limit }) =>
  tables
    .selectFrom('patterns')
    .where('patterns.id', '>', id)
    .selectAll('patterns')
    .select((eb) =>
      related(eb, 'pattern_evidence', 'patterns.id', 'pattern_id')
        .$call(join('memories', 'pattern_evidence.memory_id'))
        .where(tables.liveMemory())
        .select(({ fn }) => fn.countAll<number>().as('live'))
        .as('live'),
    )
    .orderBy('patterns.id')
    .limit(limit),
);

const shownBy = listQuery<string, { pattern_id: string }>((tables, ids) =>
  tables
    .selectFrom('pattern_evidence')
    .$call(join('memories', 'pattern_evidence.memory_id'))
    .where(tables.liveMemory())
    .where('pattern_evidence.memory_id', 'in', ids)
    .select('pattern_evidence.pattern_id')
    .distinct(),
);

const byId = new UserQuery<{ id: string }, PatternsTable>((tables, { id }) =>
  visiblePatterns(tables).selectAll('patterns').where('patterns.id', '=', id),
);

const byIds = listQuery<string, PatternsTable>((tables, ids) =>
  visiblePatterns(tables).selectAll('patterns').where('patterns.id', 'in', ids),
);

const surestFirst: readonly SortColumn[] = [
  { column: 'patterns.confidence', order: 'desc', part: 'number' },
  { column: 'patterns.last_seen_at', order: 'desc', part: 'integer' },
  { column: 'patterns.id', order: 'asc', part: 'text' },
];

const after = new UserQuery<{ id: string; limit: number }, PatternsTable>((tables, { id, limit }) =>
  visiblePatterns(tables)
    .selectAll('patterns')
    .where('patterns.id', '>', id)
    .orderBy('patterns.id')
    .limit(limit),
);

const sightings = listQuery<string, { pattern_id: string; seen_at: number }>((tables, ids) =>
  tables
    .selectFrom('pattern_evidence')
    .$call(join('memories', 'pattern_evidence.memory_id'))
    .where(tables.liveMemory())
    .where('pattern_evidence.pattern_id', 'in', ids)
    .select(['pattern_evidence.pattern_id', 'pattern_evidence.seen_at']),
);

interface EvidenceRow {
  readonly pattern_id: string;
  readonly memory_id: string;
}

const liveEvidence = listQuery<string, EvidenceRow>((tables, ids) =>
  tables
    .selectFrom('pattern_evidence')
    .$call(join('memories', 'pattern_evidence.memory_id'))
    .where(tables.liveMemory())
    .where('pattern_evidence.pattern_id', 'in', ids)
    .orderBy('pattern_evidence.seen_at', 'desc')
    .orderBy('memories.seq', 'desc')
    .select(['pattern_evidence.pattern_id', 'pattern_evidence.memory_id']),
);

export class SqlPatternReader extends UserRecords implements PatternReader {
  async listIds(request: PageRequest): Promise<Page<string>> {
    const rows = visiblePatterns(this.db.tables);
    const read = rows.select(['patterns.id', 'patterns.confidence', 'patterns.last_seen_at']);
    const page = await pageOf(rows, read, { by: surestFirst, request });
    return { ...page, items: page.items.map(({ id }) => id) };
  }

  async findMany(ids: readonly string[]): Promise<(Pattern | undefined)[]> {
    const rows = await this.db.all(byIds(ids.length), listArguments(ids));
    return inPlaces(ids, await this.withEvidence(rows), ({ id }) => id);
  }

  async listSummaries(): Promise<PatternSummary[]> {
    const found: PatternSummary[] = [];
    for (let id: string | undefined = ''; id !== undefined; ) {
      const rows: CountedRow[] = await this.db.all(countedAfter, { id, limit: readAtOnce });
      for (const { live, ...row } of rows)
        if (Number(live) > 0 || row.edited !== '') found.push(toSummary(row, Number(live)));
      id = rows.length < readAtOnce ? undefined : rows.at(-1)?.id;
    }
    // In the order of their ids among equals.
    return found.sort((a, b) => b.confidence - a.confidence || b.lastSeen - a.lastSeen);
  }

  async listShownBy(memoryIds: readonly string[]): Promise<Set<string>> {
    const ids = new Set<string>();
    for (const chunk of chunksOf(memoryIds)) {
      const rows = await this.db.all(shownBy(chunk.length), listArguments(chunk));
      for (const { pattern_id } of rows) ids.add(pattern_id);
    }
    return ids;
  }

  async find(id: string): Promise<Pattern | undefined> {
    const row = await this.db.first(byId, { id });
    return row && (await this.withEvidence([row]))[0];
  }

  async *sightings(patternIds: readonly string[]): AsyncGenerator<Sighting> {
    for (const ids of chunksOf(patternIds, readAtOnce))
      for (const { pattern_id, seen_at } of await this.db.all(sightings(ids.length), listArguments(ids)))
        yield { patternId: pattern_id, at: seen_at };
  }

  async listAfter(id: string, limit: number): Promise<Pattern[]> {
    return this.withEvidence(await this.db.all(after, { id, limit }));
  }

  protected async withEvidence(rows: readonly PatternsTable[]): Promise<Pattern[]> {
    const found: Pattern[] = [];
    for (const some of chunksOf(rows, readAtOnce)) {
      const ids = some.map(({ id }) => id);
      const shown = await this.db.all(liveEvidence(ids.length), listArguments(ids));
      const byPattern = groupBy(shown, ({ pattern_id }) => pattern_id);
      for (const row of some)
        found.push(
          toPattern(
            row,
            (byPattern.get(row.id) ?? []).map(({ memory_id }) => memory_id),
          ),
        );
    }
    return found;
  }
}

const byKeys = listQuery<string, PatternsTable>((tables, keys) =>
  tables.selectFrom('patterns').selectAll('patterns').where('patterns.pattern_key', 'in', keys),
);

export class SqlPatternWriter extends SqlPatternReader implements PatternWriter {
  async findByKeys(keys: readonly string[]): Promise<Pattern[]> {
    const found: Pattern[] = [];
    for (const chunk of chunksOf(keys))
      found.push(...(await this.withEvidence(await this.db.all(byKeys(chunk.length), listArguments(chunk)))));
    return found;
  }

  countStored(): Promise<number> {
    return countRows(this.db.tables.selectFrom('patterns'));
  }

  async insert(pattern: Pattern, evidence: readonly PatternEvidence[]): Promise<void> {
    await nextRev(this.db, { documents: 0, terms: 0 });
    await this.db.tables.insertInto('patterns', toRow(pattern)).execute();
    await this.#insertEvidence(pattern.id, evidence);
  }

  async replace(pattern: Pattern): Promise<void> {
    await nextRev(this.db, { documents: 0, terms: 0 });
    const { id, ...columns } = toRow(pattern);
    await this.db.tables.updateTable('patterns').set(columns).where('id', '=', id).execute();
  }

  async addEvidence(id: string, evidence: readonly PatternEvidence[]): Promise<void> {
    const rows = await this.db.tables
      .selectFrom('pattern_evidence')
      .select(['memory_id', 'seen_at'])
      .where('pattern_id', '=', id)
      .execute();
    const all = new Map(rows.map(({ memory_id, seen_at }) => [memory_id, seen_at]));
    for (const { memoryId, at } of evidence) all.set(memoryId, at);
    await this.db.tables.deleteFrom('pattern_evidence').where('pattern_id', '=', id).execute();
    await this.#insertEvidence(
      id,
      [...all].map(([memoryId, at]) => ({ memoryId, at })),
    );
  }

  /** Of memories that are still there: one may have been erased since it was read. */
  async #insertEvidence(id: string, evidence: readonly PatternEvidence[]): Promise<void> {
    const last = [...evidence].sort((a, b) => b.at - a.at).slice(0, evidenceMax);
    if (last.length === 0) return;
    const rows = await this.db.tables
      .selectFrom('memories')
      .select('id')
      .where(
        'id',
        'in',
        last.map(({ memoryId }) => memoryId),
      )
      .execute();
    const there = new Set(rows.map((row) => row.id));
    const added = last
      .filter(({ memoryId }) => there.has(memoryId))
      .map(({ memoryId, at }) => ({ pattern_id: id, memory_id: memoryId, seen_at: at }));
    if (added.length > 0) await this.db.tables.insertAll('pattern_evidence', added).execute();
  }
}
