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
