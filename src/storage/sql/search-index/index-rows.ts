import { sql } from 'kysely';
import type { SpaceRole } from '../../../domain/embedding/embed-step.ts';
import type { EpochMs } from '../../../domain/shared/time.ts';
import { chunksOf } from '../../../lib/collections.ts';
import {
  type DerivedReader,
  type FactIndexReader,
  type IndexHead,
  type IndexReader,
  type IndexRow,
  type LiveDocument,
  outdatedPartTrait,
  type PlainKind,
  type RareFields,
  type RecordText,
  type SegmentReader,
  type TermShape,
  type TextOfVersion,
  type VectorRange,
  type VectorRow,
  type Vocabulary,
} from '../../../search-index/ports.ts';
import { join } from '../core/joins.ts';
import { listArguments, listQuery } from '../core/list-query.ts';
import type { UserDatabase } from '../core/user-database.ts';
import { UserQuery } from '../core/user-query.ts';
import type { UserTables } from '../core/user-tables.ts';
import { liveEdges } from '../relationships/live-edges.ts';
import type { StoredVector, ToVectorRows } from '../vectors/vector-checksum.ts';
import { SqlDerivedRows } from './derived-rows.ts';
import { SqlFactIndex } from './fact-index.ts';
import { documentStatistics, liveDocuments, recordTexts } from './live-documents.ts';
import { SqlSegmentRows } from './segment-rows.ts';

/** Id of the space that serves in this role, 0 for none. */
export const servingSpace = (role: SpaceRole) =>
  sql<number>`coalesce((SELECT id FROM vector_spaces WHERE state = 'serving' AND role = ${sql.lit(role)}), 0)`;

const headQuery = new UserQuery<Record<never, never>, IndexHead>((tables) =>
  tables
    .selectFrom('user_counters')
    .select(['rev', 'epoch', servingSpace('main').as('space'), servingSpace('second').as('second')]),
);

const noHead: IndexHead = { rev: 0, epoch: 0, space: 0, second: 0 };

export async function readHead(db: UserDatabase): Promise<IndexHead> {
  return (await db.first(headQuery, {})) ?? noHead;
}

/** The stored traits, and whether a part is outdated. */
const traits =
  sql<number>`${sql.ref('memory_versions.traits')} | CASE WHEN ${sql.ref('memory_versions.outdated_parts')} IS NULL
  THEN 0 ELSE ${sql.lit(outdatedPartTrait)} END`.as('traits');

const indexRowOf = (tables: UserTables) =>
  tables
    .selectFrom('memory_versions')
    .$call(join('memories', 'memory_versions.memory_seq', 'seq'))
    .select([
      'memory_versions.doc',
      'memories.seq',
      'memory_versions.rev',
      'memory_versions.opened_at as openedAt',
      'memory_versions.closed_at as closedAt',
      'memory_versions.memory_type as memoryType',
      'memory_versions.effective_state as effectiveState',
      'memories.conversation_id as conversationId',
      'memory_versions.event_time as eventTime',
      'memory_versions.valid_from as validFrom',
      'memory_versions.valid_to as validTo',
      'memories.created_at as createdAt',
      'memory_versions.updated_at as updatedAt',
      'memory_versions.term_count as termCount',
      'memory_versions.speaker',
      'memory_versions.metadata_keys as metadataKeys',
      'memory_versions.topics',
    ])
    .select(traits)
    .select((eb) =>
      eb
        .case()
        .when('memories.conversation_id', 'in', tables.hiddenConversations())
        .then(1)
        .else(eb.ref('memory_versions.trashed'))
        .end()
        .as('trashed'),
    );

const changes = new UserQuery<{ rev: number; doc: number; limit: number }, IndexRow>((tables, args) =>
  indexRowOf(tables)
    .where(sql<boolean>`(memory_versions.rev, memory_versions.doc) > (${args.rev}, ${args.doc})`)
    .orderBy('memory_versions.rev')
    .orderBy('memory_versions.doc')
    .limit(args.limit),
);

const rowsInOrder = new UserQuery<{ doc: number; limit: number }, IndexRow>((tables, args) =>
  indexRowOf(tables)
    .where('memory_versions.doc', '>', args.doc)
    .orderBy('memory_versions.doc')
    .limit(args.limit),
);

type RangeArgs = { space: number; upToDoc: number; upToRev: number; limit: number };

const vectorColumns = ['doc', 'part', 'late_rev as lateRev', 'vector', 'crc'] as const;

// The order names the space too, for SQLite to see that it is the order of the key.
const vectorsAfter = new UserQuery<RangeArgs & { doc: number; part: number }, StoredVector>((tables, args) =>
  tables
    .selectFrom('memory_vectors')
    .select(vectorColumns)
    .where('space', '=', args.space)
    .where(sql<boolean>`(doc, space, part) > (${args.doc}, ${args.space}, ${args.part})`)
    .where('doc', '<=', args.upToDoc)
    .where((row) => row.or([row('late_rev', 'is', null), row('late_rev', '<=', args.upToRev)]))
    .orderBy('doc')
    .orderBy('space')
    .orderBy('part')
    .limit(args.limit),
);

const lateVectorsAfter = new UserQuery<
  RangeArgs & { lateRev: number; doc: number; part: number },
  StoredVector
>((tables, args) =>
  tables
    .selectFrom('memory_vectors')
    .select(vectorColumns)
    .where('space', '=', args.space)
    .where('late_rev', 'is not', null)
    .where(sql<boolean>`(late_rev, doc, part) > (${args.lateRev}, ${args.doc}, ${args.part})`)
    .where('late_rev', '<=', args.upToRev)
    .where('doc', '<=', args.upToDoc)
    .orderBy('late_rev')
    .orderBy('doc')
    .orderBy('part')
    .limit(args.limit),
);

const contents = listQuery<number, TextOfVersion>((tables, docs) =>
  tables.selectFrom('memory_versions').select(['doc', 'content']).where('doc', 'in', docs),
);

/** The part of a user's search index in ordinary tables; each engine has its own postings. */
export class SqlIndexRows implements Omit<IndexReader, 'postings' | 'docsContaining'> {
  readonly vocabulary: Vocabulary;
  readonly derived: DerivedReader;
  readonly facts: FactIndexReader;
  readonly segments: SegmentReader;
  protected readonly db: UserDatabase;

  protected readonly toVectorRows: ToVectorRows;

  constructor(db: UserDatabase, toVectorRows: ToVectorRows) {
    this.db = db;
    this.toVectorRows = toVectorRows;
    this.vocabulary = new SqlVocabulary(db);
    this.derived = new SqlDerivedRows(db);
    this.facts = new SqlFactIndex(db);
    this.segments = new SqlSegmentRows(db);
  }

  async head(): Promise<IndexHead> {
    return readHead(this.db);
  }

  changesSince(rev: number, doc: number, limit: number): Promise<IndexRow[]> {
    return this.db.all(changes, { rev, doc, limit });
  }

  rowsAfter(doc: number, limit: number): Promise<IndexRow[]> {
    return this.db.all(rowsInOrder, { doc, limit });
  }

  async docsWith({ scope, taskId, outcome }: RareFields): Promise<number[]> {
    let query = this.db.tables.selectFrom('memory_versions').select('doc').where('trashed', '=', 0);
    if (taskId !== undefined) query = query.where('task_id', '=', taskId);
    if (outcome !== undefined) query = query.where('outcome', '=', outcome);
    if (outcome === 'unresolved') query = query.where('memory_seq', 'not in', resolvedSeqs(this.db.tables));
    const pairs = Object.entries(scope ?? {});
    if (pairs.length === 0) return (await query.orderBy('doc').execute()).map(({ doc }) => doc);
    const rows = await query
      .select('code_context')
      .where('code_context', 'is not', null)
      .orderBy('doc')
      .execute();
    return rows.filter((row) => matchesScope(row.code_context, pairs)).map(({ doc }) => doc);
  }

  async vectorsAfter(
    { space, doc: upToDoc, rev: upToRev }: VectorRange,
    after: { doc: number; part: number },
    limit: number,
  ): Promise<VectorRow[]> {
    const args = { space, upToDoc, upToRev, doc: after.doc, part: after.part, limit };
    return this.toVectorRows(await this.db.all(vectorsAfter, args));
  }

  async lateVectorsAfter(
    { space, doc: upToDoc, rev: upToRev }: VectorRange,
    { lateRev, doc, part }: { lateRev: number; doc: number; part: number },
    limit: number,
  ): Promise<VectorRow[]> {
    const args = { space, upToDoc, upToRev, lateRev, doc, part, limit };
    return this.toVectorRows(await this.db.all(lateVectorsAfter, args));
  }

  async vectorsOf(space: number, docs: readonly number[]): Promise<VectorRow[]> {
    const found: VectorRow[] = [];
    for (const chunk of chunksOf(docs)) {
      const rows = await this.db.tables
        .selectFrom('memory_vectors')
        .select(vectorColumns)
        .where('space', '=', space)
        .where('doc', 'in', chunk)
        .execute();
      found.push(...this.toVectorRows(rows));
    }
    return found;
  }

  async contentsOf(docs: readonly number[]): Promise<TextOfVersion[]> {
    const found: TextOfVersion[] = [];
    for (const chunk of chunksOf(docs))
      found.push(...(await this.db.all(contents(chunk.length), listArguments(chunk))));
    return found;
  }

  liveDocuments(kind: PlainKind, docs: readonly number[], currentAt?: EpochMs): Promise<LiveDocument[]> {
    return liveDocuments(this.db, kind, docs, currentAt);
  }

  recordTexts(kind: PlainKind, limit: number, currentAt?: EpochMs): Promise<RecordText[]> {
    return recordTexts(this.db, kind, limit, currentAt);
  }

  statistics(kind: PlainKind): Promise<{ documents: number; terms: number }> {
    return documentStatistics(this.db, kind);
  }
}

/** `seq` of memories that a live memory resolves. */
const resolvedSeqs = (tables: UserTables) =>
  liveEdges(tables).where('memory_edges.type', '=', 'RESOLVES').select('target.seq');

function matchesScope(codeContext: string | null, pairs: readonly [string, string | undefined][]): boolean {
  const values = JSON.parse(codeContext ?? '{}') as Record<string, unknown>;
  return pairs.every(([key, value]) => values[key] === value);
}

interface TermRow {
  readonly term: string;
}

const termsAmong = listQuery<string, TermRow>((tables, terms) =>
  tables.selectFrom('user_terms').select('term').where('term', 'in', terms),
);

type Range = { readonly from: string; readonly to: string; readonly limit: number };

const termsWithin = (tables: UserTables, { from, to, limit }: Range) =>
  tables
    .selectFrom('user_terms')
    .select('term')
    .where('term', '>=', from)
    .where('term', '<', to)
    .limit(limit);

const termsFrom = new UserQuery<Range, TermRow>((tables, range) =>
  termsWithin(tables, range).orderBy('term'),
);

const shortestTermsFrom = new UserQuery<Range, TermRow>((tables, range) =>
  termsWithin(tables, range).orderBy(sql`length(term)`).orderBy('term'),
);

/**
 * Maximum terms to sort here: letting SQLite sort the
 * single term of a whole word took 40 us of a search's 570.
 */
const sortedHereMax = 64;

/** The terms of one user's memories, as a table next to the keyword index: neither engine's index can list them. */
class SqlVocabulary implements Vocabulary {
  readonly #db: UserDatabase;

  constructor(db: UserDatabase) {
    this.#db = db;
  }

  async among(terms: readonly string[]): Promise<string[]> {
    if (terms.length === 0) return [];
    const rows = await this.#db.all(termsAmong(terms.length), listArguments(terms));
    return rows.map(({ term }) => term);
  }

  async beginningWith(prefix: string, limit: number): Promise<string[]> {
    const range = { from: prefix, to: `${prefix}\u{10ffff}` };
    const rows = await this.#db.all(termsFrom, { ...range, limit: sortedHereMax + 1 });
    if (rows.length > sortedHereMax)
      return (await this.#db.all(shortestTermsFrom, { ...range, limit })).map(({ term }) => term);
    // Rows are in order of code points; a stable sort keeps that order among equal lengths.
    const terms = rows.map(({ term }) => ({ term, length: [...term].length }));
    return terms
      .sort((a, b) => a.length - b.length)
      .slice(0, limit)
      .map(({ term }) => term);
  }

  /** Reads all terms of the user: 6 to 8 ms for 50,000 on SQLite. Terms hold neither `%` nor `_`. */
  async shaped(
    { beginnings, middles, ends, lengthMin, lengthMax }: TermShape,
    limit: number,
  ): Promise<string[]> {
    const patterns = [
      ...beginnings.map((piece) => `${piece}%`),
      ...middles.map((piece) => `%${piece}%`),
      ...ends.map((piece) => `%${piece}`),
    ];
    const rows = await this.#db.tables
      .selectFrom('user_terms')
      .select('term')
      .where(sql<number>`length(term)`, '>=', lengthMin)
      .where(sql<number>`length(term)`, '<=', lengthMax)
      .where((term) => term.or(patterns.map((pattern) => term('term', 'like', pattern))))
      .orderBy('term')
      .limit(limit)
      .execute();
    return rows.map(({ term }) => term);
  }
}
