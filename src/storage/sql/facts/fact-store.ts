import { sql } from 'kysely';
import {
  basisOf,
  type Fact,
  type FactListQuery,
  type FactReader,
  type FactsOfMemory,
  type FactVersion,
  type FactWriter,
} from '../../../domain/facts/fact.ts';
import { type EffectiveState, isOutdated, type Memory } from '../../../domain/memories/memory.ts';
import { pageOfList } from '../../../domain/shared/cursor.ts';
import type { Imported } from '../../../domain/shared/external-id.ts';
import type { Page, PageRequest } from '../../../domain/shared/page.ts';
import { inPlaces } from '../../../domain/shared/page-bytes.ts';
import type { IndexedDocument } from '../../../domain/shared/text-indexer.ts';
import type { EpochMs } from '../../../domain/shared/time.ts';
import { chunksOf, groupBy } from '../../../lib/collections.ts';
import { nextRev } from '../core/change-counter.ts';
import { join } from '../core/joins.ts';
import { listArguments, listQuery } from '../core/list-query.ts';
import { pageOf } from '../core/page-of.ts';
import { insertion } from '../core/record-columns.ts';
import type { FactsTable } from '../core/schema.ts';
import { type UserDatabase, UserRecords } from '../core/user-database.ts';
import { UserQuery } from '../core/user-query.ts';
import type { UserTables } from '../core/user-tables.ts';
import { newerOf } from '../relationships/newer-memories.ts';
import type { KeywordWriter } from '../search-index/keyword-index.ts';
import { nextEpoch } from '../upkeep/rewrite-documents.ts';
import { closeFactVersion, factsOfVersions } from './facts-of-versions.ts';
import { matchingFacts, placesOfFacts } from './matching-facts.ts';
import {
  currentFactCount,
  mentionsOf,
  type SourceRow,
  saidByMemory,
  sourcesOf,
  visibleFactCount,
  visibleFacts,
} from './visible-facts.ts';

/** Facts whose sources are read in one statement: a fact may have thousands. */
const readAtOnce = 50;

const byId = new UserQuery<{ id: string }, FactsTable>((tables, { id }) =>
  visibleFacts(tables).selectAll('facts').where('facts.id', '=', id),
);

const visibleAfter = new UserQuery<{ id: string; limit: number }, FactsTable>((tables, { id, limit }) =>
  visibleFacts(tables).selectAll('facts').where('facts.id', '>', id).orderBy('facts.id').limit(limit),
);

const byIds = listQuery<string, FactsTable>((tables, ids) =>
  visibleFacts(tables).selectAll('facts').where('facts.id', 'in', ids),
);

const fromLiveMemories = (tables: UserTables) =>
  tables
    .selectFrom('fact_sources')
    .$call(join('memories', 'fact_sources.memory_id'))
    .where(tables.liveMemory());

const insertFact = insertion('facts', [
  ...[
    'id',
    'subject',
    'predicate',
    'object',
    'confidence',
    'sourced',
    'extracted_at',
    'created_at',
    'updated_at',
  ],
  ...['doc', 'term_count', 'trashed_at', 'fact_key', 'negated', 'corrected', 'external_id', 'import_id'],
  ...['import_digest', 'valid_from', 'valid_to'],
]);

const insertSource = new UserQuery<{ factId: string; memoryId: string }, never>(
  (tables, { factId, memoryId }) =>
    tables.insertInto('fact_sources', { fact_id: factId, memory_id: memoryId }),
);

const lastEditFirst = [{ column: 'fact_versions.number', order: 'desc', part: 'integer' }] as const;
const versionColumns = [
  'fact_versions.number',
  'fact_versions.subject',
  'fact_versions.predicate',
  'fact_versions.object',
  'fact_versions.confidence',
  'fact_versions.opened_at',
  'fact_versions.closed_at',
] as const;

const sortColumns = { confidence: 'facts.confidence', createdAt: 'facts.created_at' } as const;

/** A fact of an outdated part is superseded in a memory that is not. */
function stateOf({ state, outdated }: Pick<SourceRow, 'state' | 'outdated'>): EffectiveState {
  const ofMemory = state as EffectiveState;
  return outdated === 1 && !isOutdated(ofMemory) ? 'superseded' : ofMemory;
}

/** @param newer the memory that replaces each outdated one, by `seq` */
function toFact(row: FactsTable, sources: readonly SourceRow[], newer: ReadonlyMap<number, string>): Fact {
  const inOrder = [...sources].sort((a, b) => a.seq - b.seq);
  const isOwn = row.corrected === 0;
  return {
    id: row.id,
    subject: row.subject,
    predicate: row.predicate,
    object: row.object,
    confidence: row.confidence,
    sourceMemoryIds: [...new Set(inOrder.map(({ memory_id }) => memory_id))],
    mentions: inOrder.flatMap(({ memory_id: memoryId, start_at: start, end_at: end, confidence }) =>
      start === null || end === null
        ? []
        : [{ memoryId, start, end, confidence: confidence ?? row.confidence }],
    ),
    sources: inOrder.map(({ seq, valid_from, valid_to, ...source }) => ({
      state: stateOf(source),
      validFrom: valid_from,
      validTo: valid_to,
      newerId: newer.get(seq) ?? null,
    })),
    extractedAt: row.extracted_at,
    basis: isOwn ? basisOf(sources.flatMap(({ basis }) => basis ?? [])) : null,
    isNegated: isOwn && row.negated === 1,
    isCorrected: !isOwn,
    validFrom: row.valid_from,
    validTo: row.valid_to,
    externalId: row.external_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export class SqlFactReader extends UserRecords implements FactReader {
  async find(id: string): Promise<Fact | undefined> {
    const row = await this.db.first(byId, { id });
    return row && (await this.#withSources([row]))[0];
  }

  async findMany(ids: readonly string[]): Promise<Fact[]> {
    const found: Fact[] = [];
    for (const some of chunksOf(ids, readAtOnce))
      found.push(...(await this.#withSources(await this.db.all(byIds(some.length), listArguments(some)))));
    return found;
  }

  async listAfter(id: string, limit: number): Promise<Fact[]> {
    return this.#withSources(await this.db.all(visibleAfter, { id, limit }));
  }

  async list(request: FactListQuery): Promise<Page<Fact>> {
    const { memoryId, externalId, currentAt, sortBy, order, limit, offset, after, ...others } = request;
    if (Object.values(others).some((value) => value !== undefined)) return this.#listMatching(request);
    let rows = visibleFacts(this.db.tables, currentAt);
    if (memoryId !== undefined) {
      const drawn = fromLiveMemories(this.db.tables)
        .where('fact_sources.memory_id', '=', memoryId)
        .select('fact_sources.fact_id');
      rows = rows.where((eb) =>
        eb.or([eb('facts.id', 'in', drawn), eb('facts.id', 'in', saidByMemory(this.db.tables, memoryId))]),
      );
    }
    if (externalId !== undefined) rows = rows.where('facts.external_id', '=', externalId);
    const isWhole = memoryId === undefined && externalId === undefined;
    const count = isWhole ? await this.count(currentAt) : undefined;
    const by = [
      { column: sortColumns[sortBy], order, part: 'number' },
      { column: 'facts.doc', order, part: 'integer' },
    ] as const;
    const page = await pageOf(rows, rows.selectAll('facts'), { by, request, count });
    return { ...page, items: await this.#withSources(page.items) };
  }

  /** With filters other than the memory. */
  async #listMatching({ limit, offset, after, ...filter }: FactListQuery): Promise<Page<Fact>> {
    const matching = await this.db.counted(matchingFacts(filter));
    const page = pageOfList(matching, { limit, offset, after }, placesOfFacts(filter));
    const ids = page.items.map(({ id }) => id);
    const found = inPlaces(ids, await this.findMany(ids), ({ id }) => id);
    return { ...page, items: found.filter((fact) => fact !== undefined) };
  }

  async listVersions(id: string, request: PageRequest): Promise<Page<FactVersion>> {
    const rows = this.db.tables.selectFrom('fact_versions').where('fact_id', '=', id);
    const read = rows.select([...versionColumns]);
    const page = await pageOf(rows, read, { by: lastEditFirst, request });
    const items = page.items.map(({ number: _, opened_at: openedAt, closed_at: closedAt, ...said }) => ({
      ...said,
      openedAt,
      closedAt,
    }));
    return { ...page, items };
  }

  async count(currentAt?: EpochMs): Promise<number> {
    const count = currentAt === undefined ? visibleFactCount : currentFactCount(currentAt);
    return (await this.db.counted(count)).count;
  }

  listByVersions(
    versions: readonly Pick<Memory, 'id' | 'doc'>[],
    asOf?: EpochMs,
  ): Promise<Map<number, FactsOfMemory>> {
    return factsOfVersions(this.db, versions, asOf);
  }

  async #withSources(rows: readonly FactsTable[]): Promise<Fact[]> {
    const sources: SourceRow[] = [];
    const sourced = rows.filter(({ sourced }) => sourced === 1).map(({ id }) => id);
    for (const ids of chunksOf(sourced, readAtOnce)) {
      for (const row of await this.db.all(sourcesOf(ids.length), listArguments(ids))) sources.push(row);
      for (const row of await this.db.all(mentionsOf(ids.length), listArguments(ids))) sources.push(row);
    }
    const outdated = sources.filter((source) => isOutdated(stateOf(source))).map(({ seq }) => seq);
    const newer = outdated.length > 0 ? await newerOf(this.db, [...new Set(outdated)], undefined) : [];
    const newest = new Map([...newer].map(([seq, [last]]) => [seq, last.id]));
    const byFact = groupBy(sources, ({ fact_id }) => fact_id);
    return rows.map((row) => toFact(row, byFact.get(row.id) ?? [], newest));
  }
}

export class SqlFactWriter extends SqlFactReader implements FactWriter {
  readonly #keywords: KeywordWriter;

  constructor(db: UserDatabase, { keywords }: { readonly keywords: KeywordWriter }) {
    super(db);
    this.#keywords = keywords;
  }

  async insert(fact: Fact, { terms }: IndexedDocument, imported?: Imported): Promise<void> {
    await nextRev(this.db, { documents: 0, terms: 0 }, { kind: 'fact', action: 'created', id: fact.id });
    const doc = await this.#keywords.nextDoc();
    const { id, subject, predicate, object, confidence, extractedAt, createdAt, updatedAt } = fact;
    const sourced = fact.sourceMemoryIds.length > 0 ? 1 : 0;
    await this.db.all(insertFact, [
      ...[id, subject, predicate, object, confidence, sourced, extractedAt, createdAt, updatedAt],
      ...[doc, terms.length, null, null, 0, 0, fact.externalId, imported?.importId ?? null],
      ...[imported?.digest ?? null, fact.validFrom, fact.validTo],
    ]);
    for (const memoryId of fact.sourceMemoryIds)
      await this.db.all(insertSource, { factId: fact.id, memoryId });
    await this.#keywords.add('fact', doc, terms);
  }

  async replace(fact: Fact, { terms }: IndexedDocument): Promise<void> {
    await nextRev(this.db, { documents: 0, terms: 0 }, { kind: 'fact', action: 'changed', id: fact.id });
    await closeFactVersion(this.db, fact.id, fact.updatedAt);
    const { subject, predicate, object, confidence } = fact;
    const { doc } = await this.db.tables
      .updateTable('facts')
      .set({ subject, predicate, object, confidence, updated_at: fact.updatedAt, term_count: terms.length })
      .set({ valid_from: fact.validFrom, valid_to: fact.validTo })
      .set({ corrected: sql<number>`CASE WHEN fact_key IS NULL THEN 0 ELSE 1 END` })
      .where('id', '=', fact.id)
      .returning('doc')
      .executeTakeFirstOrThrow();
    await this.#keywords.erase([doc]);
    await this.#keywords.add('fact', doc, terms);
  }

  async trash(id: string, at: number): Promise<void> {
    await nextRev(this.db, { documents: 0, terms: 0 }, { kind: 'fact', action: 'deleted', id });
    await this.db.tables.updateTable('facts').set({ trashed_at: at }).where('id', '=', id).execute();
  }

  async restore(id: string): Promise<void> {
    await nextRev(this.db, { documents: 0, terms: 0 }, { kind: 'fact', action: 'restored', id });
    await this.db.tables.updateTable('facts').set({ trashed_at: null }).where('id', '=', id).execute();
  }

  erase(id: string): Promise<void> {
    return eraseFact(this.db, this.#keywords, id);
  }

  async sourceIds(id: string): Promise<string[]> {
    const { tables } = this.db;
    const named = await tables
      .selectFrom('fact_sources')
      .select('memory_id')
      .where('fact_id', '=', id)
      .execute();
    const saying = await tables
      .selectFrom('fact_mentions')
      .$call(join('memory_versions', 'fact_mentions.doc', 'doc'))
      .$call(join('memories', 'memory_versions.memory_seq', 'seq'))
      .select('memories.id as memory_id')
      .where('fact_mentions.fact_id', '=', id)
      .execute();
    return [...new Set([...named, ...saying].map(({ memory_id }) => memory_id))];
  }
}

/**
 * Deletes a fact permanently. The row of a derived fact stays,
 * without its words: its key shows derivation that it was deleted.
 */
export async function eraseFact(db: UserDatabase, keywords: KeywordWriter, id: string): Promise<void> {
  const row = (await blankDerived(db, id)) ?? (await deleteRow(db, id));
  if (!row) return;
  await keywords.erase([row.doc]);
  await nextEpoch(db);
}

/** Takes the words of a deleted fact that a version states. */
async function blankDerived({ tables }: UserDatabase, id: string): Promise<{ doc: number } | undefined> {
  const row = await tables
    .updateTable('facts')
    .set({ subject: '', predicate: '', object: '', term_count: 0 })
    .where('id', '=', id)
    .where('fact_key', 'is not', null)
    .where('trashed_at', 'is not', null)
    .where('id', 'in', tables.selectFrom('fact_mentions').select('fact_id').where('fact_id', '=', id))
    .returning('doc')
    .executeTakeFirst();
  if (row) await tables.deleteFrom('fact_versions').where('fact_id', '=', id).execute();
  return row;
}

function deleteRow({ tables }: UserDatabase, id: string): Promise<{ doc: number } | undefined> {
  return tables.deleteFrom('facts').where('id', '=', id).returning('doc').executeTakeFirst();
}
