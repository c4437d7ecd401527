import { type ExpressionBuilder, sql } from 'kysely';
import { type Fact, type FactOfMemory, factsOfMemoryMax } from '../../../domain/facts/fact.ts';
import type { FactListQuery, FactReader, FactWriter } from '../../../domain/facts/fact-store.ts';
import type { Page } from '../../../domain/shared/page.ts';
import type { IndexedDocument } from '../../../domain/shared/text-indexer.ts';
import type { EpochMs } from '../../../domain/shared/time.ts';
import { nextRev } from '../core/change-counter.ts';
import { join, type Reads, related } from '../core/joins.ts';
import { listArguments, listQuery } from '../core/list-query.ts';
import type { FactsTable } from '../core/schema.ts';
import type { UserDatabase } from '../core/user-database.ts';
import { UserQuery } from '../core/user-query.ts';
import type { UserTables } from '../core/user-tables.ts';
import type { KeywordWriter } from '../search-index/keyword-writer.ts';
import { closeFactVersion, factTextsAsOf } from './fact-history.ts';

const liveSources = (tables: UserTables, eb: ExpressionBuilder<Reads<'facts'>, 'facts'>) =>
  related(eb, 'fact_sources', 'facts.id', 'fact_id')
    .$call(join('memories', 'fact_sources.memory_id'))
    .where(tables.liveMemory());

/** Mentions of a fact in the open versions of live memories. */
const liveMentions = (tables: UserTables, eb: ExpressionBuilder<Reads<'facts'>, 'facts'>) =>
  related(eb, 'fact_mentions', 'facts.id', 'fact_id')
    .$call(join('memory_versions', 'fact_mentions.doc', 'doc'))
    .$call(join('memories', 'memory_versions.memory_seq', 'seq'))
    .where('memory_versions.closed_at', 'is', null)
    .where(tables.liveMemory());

/** Not in the trash, and drawn from no memory or from one that is live. */
export const visibleFacts = (tables: UserTables) =>
  tables
    .selectFrom('facts')
    .where('facts.trashed_at', 'is', null)
    .where((eb) =>
      eb.or([
        eb('facts.sourced', '=', 0),
        eb.exists(liveSources(tables, eb).select('fact_sources.memory_id')),
        eb.exists(liveMentions(tables, eb).select('fact_mentions.doc')),
      ]),
    );

const byId = new UserQuery<{ id: string }, FactsTable>((tables, { id }) =>
  visibleFacts(tables).selectAll('facts').where('facts.id', '=', id),
);

const byIds = listQuery<string, FactsTable>((tables, ids) =>
  visibleFacts(tables).selectAll('facts').where('facts.id', 'in', ids),
);

interface SourceRow {
  readonly fact_id: string;
  readonly memory_id: string;
}

const fromLiveMemories = (tables: UserTables) =>
  tables
    .selectFrom('fact_sources')
    .$call(join('memories', 'fact_sources.memory_id'))
    .where(tables.liveMemory());

const sourcesOf = listQuery<string, SourceRow>((tables, ids) =>
  fromLiveMemories(tables)
    .select(['fact_sources.fact_id', 'fact_sources.memory_id'])
    .where('fact_sources.fact_id', 'in', ids)
    .orderBy('memories.seq'),
);

interface FactOfMemoryRow extends FactOfMemory {
  readonly memory_id: string;
  readonly created_at: number;
  readonly updated_at: number;
}

const factsOfMemories = listQuery<string, FactOfMemoryRow>((tables, ids) =>
  fromLiveMemories(tables)
    .$call(join('facts', 'fact_sources.fact_id'))
    .select(['facts.id', 'facts.subject', 'facts.predicate', 'facts.object', 'facts.confidence'])
    .select(['fact_sources.memory_id', 'facts.created_at', 'facts.updated_at'])
    .where('fact_sources.memory_id', 'in', ids)
    .where('facts.trashed_at', 'is', null)
    .orderBy('facts.confidence', 'desc')
    .orderBy('facts.doc'),
);

const insertFact = new UserQuery<Omit<FactsTable, 'user_id'>, never>((tables, row) =>
  tables.insertInto('facts', {
    id: row.id,
    subject: row.subject,
    predicate: row.predicate,
    object: row.object,
    confidence: row.confidence,
    sourced: row.sourced,
    extracted_at: row.extracted_at,
    created_at: row.created_at,
    updated_at: row.updated_at,
    trashed_at: null,
    doc: row.doc,
    term_count: row.term_count,
    fact_key: row.fact_key,
    negated: row.negated,
    corrected: row.corrected,
  }),
);

const insertSource = new UserQuery<{ factId: string; memoryId: string }, never>(
  (tables, { factId, memoryId }) =>
    tables.insertInto('fact_sources', { fact_id: factId, memory_id: memoryId }),
);

const sortColumns = { confidence: 'facts.confidence', createdAt: 'facts.created_at' } as const;

function toFact(row: FactsTable, sourceMemoryIds: readonly string[]): Fact {
  return {
    id: row.id,
    subject: row.subject,
    predicate: row.predicate,
    object: row.object,
    confidence: row.confidence,
    sourceMemoryIds,
    extractedAt: row.extracted_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export class SqlFactReader implements FactReader {
  protected readonly db: UserDatabase;

  constructor(db: UserDatabase) {
    this.db = db;
  }

  async find(id: string): Promise<Fact | undefined> {
    const row = await this.db.first(byId, { id });
    return row && (await this.#withSources([row]))[0];
  }

  async findMany(ids: readonly string[]): Promise<Fact[]> {
    if (ids.length === 0) return [];
    return this.#withSources(await this.db.all(byIds(ids.length), listArguments(ids)));
  }

  async list(query: FactListQuery): Promise<Page<Fact>> {
    const { memoryId, sortBy, order, limit, offset } = query;
    let rows = visibleFacts(this.db.tables);
    if (memoryId !== undefined) {
      const drawn = fromLiveMemories(this.db.tables)
        .where('fact_sources.memory_id', '=', memoryId)
        .select('fact_sources.fact_id');
      rows = rows.where('facts.id', 'in', drawn);
    }
    const { count } = await rows.select(sql<number>`count(*)`.as('count')).executeTakeFirstOrThrow();
    const page = await rows
      .selectAll('facts')
      .orderBy(sortColumns[sortBy], order)
      .orderBy('facts.doc', order)
      .limit(limit)
      .offset(offset)
      .execute();
    return { items: await this.#withSources(page), limit, offset, count: Number(count) };
  }

  async listByMemories(memoryIds: readonly string[], asOf?: EpochMs): Promise<Map<string, FactOfMemory[]>> {
    const found = new Map<string, FactOfMemory[]>();
    if (memoryIds.length === 0) return found;
    const rows = await this.db.all(factsOfMemories(memoryIds.length), listArguments(memoryIds));
    for (const row of asOf === undefined ? rows : await this.#asTheyWere(rows, asOf)) {
      const { id, subject, predicate, object, confidence } = row;
      const facts = found.get(row.memory_id) ?? [];
      if (facts.length < factsOfMemoryMax) facts.push({ id, subject, predicate, object, confidence });
      found.set(row.memory_id, facts);
    }
    return found;
  }

  /** Those of which is known what they said at `asOf`, as they said it, the surest first. */
  async #asTheyWere(rows: readonly FactOfMemoryRow[], asOf: EpochMs): Promise<FactOfMemoryRow[]> {
    const known = rows.filter((row) => row.created_at <= asOf);
    const edited = new Set(known.filter((row) => row.updated_at > asOf).map(({ id }) => id));
    const before = await factTextsAsOf(this.db, [...edited], asOf);
    return known
      .flatMap((row) => {
        const said = before.get(row.id);
        if (!edited.has(row.id)) return [row];
        return said ? [{ ...row, ...said }] : [];
      })
      .sort((a, b) => b.confidence - a.confidence);
  }

  async #withSources(rows: readonly FactsTable[]): Promise<Fact[]> {
    const ids = rows.filter(({ sourced }) => sourced === 1).map(({ id }) => id);
    const sources = new Map<string, string[]>(ids.map((id) => [id, []]));
    if (ids.length > 0) {
      const found = await this.db.all(sourcesOf(ids.length), listArguments(ids));
      for (const { fact_id, memory_id } of found) sources.get(fact_id)?.push(memory_id);
    }
    return rows.map((row) => toFact(row, sources.get(row.id) ?? []));
  }
}

export class SqlFactWriter extends SqlFactReader implements FactWriter {
  readonly #keywords: KeywordWriter;

  constructor(db: UserDatabase, keywords: KeywordWriter) {
    super(db);
    this.#keywords = keywords;
  }

  async insert(fact: Fact, { terms }: IndexedDocument): Promise<void> {
    await nextRev(this.db, { documents: 0, terms: 0 });
    const doc = await this.#keywords.nextDoc();
    await this.db.all(insertFact, {
      id: fact.id,
      subject: fact.subject,
      predicate: fact.predicate,
      object: fact.object,
      confidence: fact.confidence,
      sourced: fact.sourceMemoryIds.length > 0 ? 1 : 0,
      extracted_at: fact.extractedAt,
      created_at: fact.createdAt,
      updated_at: fact.updatedAt,
      trashed_at: null,
      doc,
      term_count: terms.length,
      fact_key: null,
      negated: 0,
      corrected: 0,
    });
    for (const memoryId of fact.sourceMemoryIds)
      await this.db.all(insertSource, { factId: fact.id, memoryId });
    await this.#keywords.add('fact', doc, terms);
  }

  async replace(fact: Fact, { terms }: IndexedDocument): Promise<void> {
    await nextRev(this.db, { documents: 0, terms: 0 });
    await closeFactVersion(this.db, fact.id, fact.updatedAt);
    const { subject, predicate, object, confidence } = fact;
    const { doc } = await this.db.tables
      .updateTable('facts')
      .set({ subject, predicate, object, confidence, updated_at: fact.updatedAt, term_count: terms.length })
      .where('id', '=', fact.id)
      .returning('doc')
      .executeTakeFirstOrThrow();
    await this.#keywords.erase([doc]);
    await this.#keywords.add('fact', doc, terms);
  }

  async trash(id: string, at: number): Promise<void> {
    await nextRev(this.db, { documents: 0, terms: 0 });
    await this.db.tables.updateTable('facts').set({ trashed_at: at }).where('id', '=', id).execute();
  }

  async restore(id: string): Promise<void> {
    await nextRev(this.db, { documents: 0, terms: 0 });
    await this.db.tables.updateTable('facts').set({ trashed_at: null }).where('id', '=', id).execute();
  }

  async sourceIds(id: string): Promise<string[]> {
    const sources = this.db.tables.selectFrom('fact_sources').select('memory_id').where('fact_id', '=', id);
    return (await sources.execute()).map(({ memory_id }) => memory_id);
  }
}
