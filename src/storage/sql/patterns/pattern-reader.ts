import type { Sighting } from '../../../domain/patterns/analyze-patterns.ts';
import type { Pattern, PatternSummary } from '../../../domain/patterns/pattern.ts';
import type { PatternReader } from '../../../domain/patterns/pattern-store.ts';
import type { Page, PageRequest } from '../../../domain/shared/page.ts';
import { inPlaces } from '../../../domain/shared/page-bytes.ts';
import { chunksOf } from '../../../lib/chunks.ts';
import { groupBy } from '../../../lib/group-by.ts';
import { join, related } from '../core/joins.ts';
import { listArguments, listQuery } from '../core/list-query.ts';
import { pageOf, type SortColumn } from '../core/page-of.ts';
import type { PatternsTable } from '../core/pattern-tables.ts';
import { UserQuery } from '../core/user-query.ts';
import { UserRecords } from '../core/user-records.ts';
import type { UserTables } from '../core/user-tables.ts';
import { toPattern, toSummary } from './pattern-row.ts';

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

/** Each with the number of its live memories; one that is not seen has none, and was not edited. */
const counted = new UserQuery<Record<never, never>, PatternsTable & { live: number | string }>((tables) =>
  tables
    .selectFrom('patterns')
    .selectAll('patterns')
    .select((eb) =>
      related(eb, 'pattern_evidence', 'patterns.id', 'pattern_id')
        .$call(join('memories', 'pattern_evidence.memory_id'))
        .where(tables.liveMemory())
        .select(({ fn }) => fn.countAll<number>().as('live'))
        .as('live'),
    )
    .orderBy('patterns.confidence', 'desc')
    .orderBy('patterns.last_seen_at', 'desc')
    .orderBy('patterns.id'),
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

const sightings = new UserQuery<{ at: number; limit: number }, { pattern_id: string; seen_at: number }>(
  (tables, { at, limit }) =>
    tables
      .selectFrom('pattern_evidence')
      .$call(join('memories', 'pattern_evidence.memory_id'))
      .where(tables.liveMemory())
      .where('pattern_evidence.seen_at', '>=', at)
      .orderBy('pattern_evidence.seen_at', 'desc')
      .limit(limit)
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
    const rows = await this.db.all(counted, {});
    return rows
      .map(({ live, ...row }) => toSummary(row, Number(live)))
      .filter(({ occurrences, edited }) => occurrences > 0 || edited.length > 0);
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

  async listSightings(at: number, limit: number): Promise<Sighting[]> {
    const rows = await this.db.all(sightings, { at, limit });
    return rows.map(({ pattern_id, seen_at }) => ({ patternId: pattern_id, at: seen_at }));
  }

  async listAfter(id: string, limit: number): Promise<Pattern[]> {
    return this.withEvidence(await this.db.all(after, { id, limit }));
  }

  protected async withEvidence(rows: readonly PatternsTable[]): Promise<Pattern[]> {
    if (rows.length === 0) return [];
    const ids = rows.map(({ id }) => id);
    const shown = await this.db.all(liveEvidence(ids.length), listArguments(ids));
    const byPattern = groupBy(shown, ({ pattern_id }) => pattern_id);
    return rows.map((row) =>
      toPattern(
        row,
        (byPattern.get(row.id) ?? []).map(({ memory_id }) => memory_id),
      ),
    );
  }
}
