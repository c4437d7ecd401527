import type {
  BehaviourReader,
  BehaviourState,
  BehaviourWriter,
} from '../../../domain/patterns/behaviour-store.ts';
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
import type { EpochMs } from '../../../domain/shared/time.ts';
import { chunksOf, groupBy } from '../../../lib/collections.ts';
import { nextRev } from '../core/change-counter.ts';
import { join, related } from '../core/joins.ts';
import { listArguments, listQuery } from '../core/list-query.ts';
import { pageOf, type SortColumn } from '../core/page-of.ts';
import { type Columns, RecordColumns, type RowOf } from '../core/record-columns.ts';
import { countRows, UserRecords } from '../core/user-database.ts';
import { UserQuery } from '../core/user-query.ts';
import type { UserTables } from '../core/user-tables.ts';

const columns = {
  id: 'patterns.id',
  key: 'patterns.pattern_key',
  type: 'patterns.type',
  name: 'patterns.name',
  description: 'patterns.description',
  context: 'patterns.context',
  owner: 'patterns.owner',
  target: 'patterns.target',
  against: 'patterns.against',
  isNegated: { flag: 'patterns.negated' },
  confidence: 'patterns.confidence',
  baseConfidence: 'patterns.base_confidence',
  positives: 'patterns.positive_count',
  negatives: 'patterns.negative_count',
  feedback: 'patterns.feedback',
  edited: 'patterns.edited',
  isActive: { flag: 'patterns.is_active' },
  metadata: { json: 'patterns.metadata' },
  wordedBy: 'patterns.worded_by',
  firstSeen: 'patterns.first_seen_at',
  lastSeen: 'patterns.last_seen_at',
  createdAt: 'patterns.created_at',
  updatedAt: 'patterns.updated_at',
} as const satisfies Columns<StoredPattern>;

/** `edited` is stored as names with commas between them. */
interface StoredPattern extends Omit<Pattern, 'edited' | 'occurrences' | 'evidence'> {
  readonly edited: string;
}
const patternRecord = new RecordColumns<StoredPattern, typeof columns>(columns);
type PatternRow = RowOf<typeof columns>;

/** @param occurrences number of live memories that show it */
const toSummary = (row: PatternRow, occurrences: number): PatternSummary =>
  Object.assign(patternRecord.decode(row), {
    edited: row.edited.split(',').filter(Boolean) as PatternField[],
    occurrences,
  });

/** @param memoryIds live memories that show it, the last first */
const toPattern = (row: PatternRow, memoryIds: readonly string[]): Pattern =>
  Object.assign(toSummary(row, memoryIds.length), { evidence: memoryIds.slice(0, evidenceShownMax) });

const toRow = (pattern: Pattern) =>
  patternRecord.toTableRow({ ...pattern, edited: pattern.edited.join(',') });

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

type CountedRow = PatternRow & { live: number | string };

/**
 * Patterns in order of id, with the numbers of their live
 * memories. An invisible pattern has none and was not edited.
 */
const countedAfter = new UserQuery<{ id: string; limit: number }, CountedRow>((tables, { id, limit }) =>
  tables
    .selectFrom('patterns')
    .where('patterns.id', '>', id)
    .select(patternRecord.selection)
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

const shownBy = listQuery((tables, ids: readonly string[]) =>
  tables
    .selectFrom('pattern_evidence')
    .$call(join('memories', 'pattern_evidence.memory_id'))
    .where(tables.liveMemory())
    .where('pattern_evidence.memory_id', 'in', ids)
    .select('pattern_evidence.pattern_id')
    .distinct(),
);

const byId = new UserQuery<{ id: string }, PatternRow>((tables, { id }) =>
  visiblePatterns(tables).select(patternRecord.selection).where('patterns.id', '=', id),
);

const byIds = listQuery<string, PatternRow>((tables, ids) =>
  visiblePatterns(tables).select(patternRecord.selection).where('patterns.id', 'in', ids),
);

const surestFirst: readonly SortColumn[] = [
  { column: 'patterns.confidence', order: 'desc', part: 'number' },
  { column: 'patterns.last_seen_at', order: 'desc', part: 'integer' },
  { column: 'patterns.id', order: 'asc', part: 'text' },
];

const after = new UserQuery<{ id: string; limit: number }, PatternRow>((tables, { id, limit }) =>
  visiblePatterns(tables)
    .select(patternRecord.selection)
    .where('patterns.id', '>', id)
    .orderBy('patterns.id')
    .limit(limit),
);

const sightings = listQuery((tables, ids: readonly string[]) =>
  tables
    .selectFrom('pattern_evidence')
    .$call(join('memories', 'pattern_evidence.memory_id'))
    .where(tables.liveMemory())
    .where('pattern_evidence.pattern_id', 'in', ids)
    .select(['pattern_evidence.pattern_id', 'pattern_evidence.seen_at']),
);

const liveEvidence = listQuery((tables, ids: readonly string[]) =>
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
    if (ids.length === 0) return [];
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

  protected async withEvidence(rows: readonly PatternRow[]): Promise<Pattern[]> {
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

const byKeys = listQuery<string, PatternRow>((tables, keys) =>
  tables.selectFrom('patterns').select(patternRecord.selection).where('patterns.pattern_key', 'in', keys),
);

const ofTypes = listQuery((tables, memoryIds: readonly string[]) =>
  tables
    .selectFrom('pattern_evidence')
    .$call(join('patterns', 'pattern_evidence.pattern_id'))
    .where('pattern_evidence.memory_id', 'in', memoryIds)
    .select(['patterns.id', 'patterns.type', 'pattern_evidence.memory_id']),
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
    await nextRev(
      this.db,
      { documents: 0, terms: 0 },
      { kind: 'pattern', action: 'created', id: pattern.id },
    );
    await this.db.tables.insertInto('patterns', toRow(pattern)).execute();
    await this.#insertEvidence(pattern.id, evidence);
  }

  async replace(pattern: Pattern): Promise<void> {
    await nextRev(
      this.db,
      { documents: 0, terms: 0 },
      { kind: 'pattern', action: 'changed', id: pattern.id },
    );
    const { id, ...columns } = toRow(pattern);
    await this.db.tables.updateTable('patterns').set(columns).where('id', '=', id).execute();
  }

  async showing(memoryIds: readonly string[], types: readonly PatternType[]): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    for (const chunk of chunksOf(memoryIds))
      for (const { memory_id, type } of await this.db.all(ofTypes(chunk.length), listArguments(chunk)))
        if (types.some((each) => each === type)) found.add(memory_id);
    return found;
  }

  async removeEvidence(memoryIds: readonly string[], types: readonly PatternType[]): Promise<void> {
    for (const chunk of chunksOf(memoryIds)) {
      const rows = await this.db.all(ofTypes(chunk.length), listArguments(chunk));
      const ids = rows.filter(({ type }) => types.some((each) => each === type)).map(({ id }) => id);
      if (ids.length === 0) continue;
      await nextRev(this.db, { documents: 0, terms: 0 });
      await this.db.tables
        .deleteFrom('pattern_evidence')
        .where('memory_id', 'in', chunk)
        .where('pattern_id', 'in', [...new Set(ids)])
        .execute();
    }
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

  /** Inserts evidence from existing memories only: one may have been erased since it was read. */
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

const stored = new UserQuery((tables) => tables.selectFrom('behaviour_states').select('state'));

export class SqlBehaviourReader extends UserRecords implements BehaviourReader {
  async find(): Promise<BehaviourState | undefined> {
    const row = await this.db.first(stored, {});
    return row && (JSON.parse(row.state) as BehaviourState);
  }
}

export class SqlBehaviourWriter extends SqlBehaviourReader implements BehaviourWriter {
  async save(state: BehaviourState, at: EpochMs): Promise<void> {
    await nextRev(this.db, { documents: 0, terms: 0 });
    await this.db.tables.deleteFrom('behaviour_states').execute();
    await this.db.tables
      .insertInto('behaviour_states', { state: JSON.stringify(state), updated_at: at })
      .execute();
  }
}
