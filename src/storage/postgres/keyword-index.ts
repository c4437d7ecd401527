import { type Kysely, type RawBuilder, sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { DocumentKind, Postings } from '../../search-index/ports.ts';
import type { Database } from '../sql/core/schema.ts';
import {
  frequencyKey,
  frequencyMax,
  type IndexedTerms,
  type KeywordWriter,
  type KnownTerms,
  keyPrefix,
  postingKeys,
  toPostings,
} from '../sql/search-index/keyword-index.ts';
import { plannedForValues } from './named-statements.ts';

/**
 * A tsvector of ready-made keys under a GIN index: PostgreSQL as a plain inverted index. Without
 * `fastupdate`, because every lookup reads its whole list of pending entries: with 5,000 new memories, five
 * terms took 30 ms with it and 0.65 ms once it was emptied. Creates are about a tenth slower without it.
 */
export const keywordStatements = [
  `CREATE TABLE keyword_documents (
    user_id BIGINT NOT NULL,
    doc BIGINT NOT NULL,
    keys TSVECTOR NOT NULL,
    PRIMARY KEY (user_id, doc)
  )`,
  // No word of a user is in the planner's statistics.
  'ALTER TABLE keyword_documents ALTER COLUMN keys SET STATISTICS 0',
  'CREATE INDEX keyword_documents_keys ON keyword_documents USING GIN (keys) WITH (fastupdate = off)',
  'CREATE SEQUENCE document_numbers',
  `CREATE TABLE user_terms (
    user_id BIGINT NOT NULL,
    term TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (user_id, term)
  )`,
];

interface KeywordWriterOptions {
  readonly known: KnownTerms;
  /** Whether Citus keeps the tables, which refuses statements that write two of them. */
  readonly isDistributed: boolean;
}

export class PostgresKeywordWriter implements KeywordWriter {
  readonly #db: Kysely<Database>;
  readonly #userId: number;
  readonly #known: KnownTerms;
  readonly #isDistributed: boolean;
  readonly #written: string[] = [];

  constructor(db: Kysely<Database>, userId: number, { known, isDistributed }: KeywordWriterOptions) {
    this.#db = db;
    this.#userId = userId;
    this.#known = known;
    this.#isDistributed = isDistributed;
  }

  async nextDoc(): Promise<number> {
    const { rows } = await sql<{ doc: number }>`SELECT nextval('document_numbers') AS doc`.execute(this.#db);
    return rows[0].doc;
  }

  /** The lock of `ALTER SEQUENCE` blocks `nextval` of all other transactions until this one ends. */
  async nextDocs(count: number): Promise<number> {
    await sql`ALTER SEQUENCE document_numbers INCREMENT BY 1`.execute(this.#db);
    const first = await this.nextDoc();
    await sql`SELECT setval('document_numbers', ${first + count - 1})`.execute(this.#db);
    return first;
  }

  async add(kind: DocumentKind, doc: number, terms: readonly string[]): Promise<void> {
    const keys = postingKeys(keyPrefix(kind, this.#userId), terms);
    const fresh = kind === 'memory' ? this.#known.unknownAmong(this.#userId, terms) : [];
    await sql`${await this.#newTerms(fresh)}
      INSERT INTO keyword_documents (user_id, doc, keys)
      VALUES (${this.#userId}, ${doc}, array_to_tsvector(${keys}::text[]))`.execute(this.#db);
    this.#written.push(...fresh);
  }

  async someDocs(count: number): Promise<number[]> {
    const { rows } = await sql<{
      doc: number;
    }>`SELECT nextval('document_numbers') AS doc FROM generate_series(1, ${count})`.execute(this.#db);
    return rows.map(({ doc }) => doc);
  }

  async addAll(kind: DocumentKind, documents: readonly IndexedTerms[]): Promise<void> {
    const prefix = keyPrefix(kind, this.#userId);
    const docs = documents.map(({ doc }) => doc);
    // An array of arrays would need lists of one length. No key contains a space.
    const keys = documents.map(({ terms }) => postingKeys(prefix, terms).join(' '));
    const all = kind === 'memory' ? documents.flatMap(({ terms }) => terms) : [];
    const fresh = this.#known.unknownAmong(this.#userId, all);
    await sql`${await this.#newTerms(fresh)}
      INSERT INTO keyword_documents (user_id, doc, keys)
      SELECT ${this.#userId}::bigint, added.doc, array_to_tsvector(string_to_array(added.keys, ' '))
      FROM unnest(${docs}::bigint[], ${keys}::text[]) AS added (doc, keys)`.execute(this.#db);
    this.#written.push(...fresh);
  }

  /** Adds terms by the returned beginning of a statement, or by a statement of its own. */
  async #newTerms(fresh: readonly string[]): Promise<RawBuilder<unknown>> {
    const insert = sql`INSERT INTO user_terms (user_id, term)
      SELECT ${this.#userId}::bigint, unnest(${fresh}::text[]) ON CONFLICT DO NOTHING`;
    if (!this.#isDistributed) return sql`WITH new_terms AS (${insert})`;
    if (fresh.length > 0) await insert.execute(this.#db);
    return sql``;
  }

  /** Call after the commit of the transaction: its terms need not be written again. */
  committed(): void {
    this.#known.add(this.#userId, this.#written);
  }

  async erase(docs: readonly number[]): Promise<void> {
    await eraseDocuments(this.#db, this.#userId, docs);
  }

  async forgetTerms(terms: readonly string[]): Promise<void> {
    const prefix = keyPrefix('memory', this.#userId);
    const unique = [...new Set(terms)];
    const queries = unique.map((term) => `'${frequencyKey(prefix, term, 1)}'`);
    await sql`${plannedForValues}DELETE FROM user_terms
      USING unnest(${unique}::text[], ${queries}::text[]) AS erased (term, query)
      WHERE user_terms.user_id = ${this.#userId} AND user_terms.term = erased.term
        AND NOT EXISTS (
          SELECT FROM keyword_documents AS document
          WHERE document.user_id = ${this.#userId} AND document.keys @@ erased.query::tsquery
        )`.execute(this.#db);
    this.#known.forget(this.#userId, unique);
  }
}

/** Planned for the values: a plan for all users opens all parts of the table. */
export async function eraseDocuments(
  db: Kysely<Database>,
  userId: number,
  docs: readonly number[],
): Promise<void> {
  await sql`${plannedForValues}DELETE FROM keyword_documents
    WHERE user_id = ${userId} AND doc = ANY(${docs}::bigint[])`.execute(db);
}

const partsKnownMax = 100_000;

/** The partition of the keyword index that has the documents of a user. */
export class KeywordPartitions {
  readonly #known = new LRUCache<number, string>({ max: partsKnownMax });

  /** Suffix of the name of each table of the partition, as `_p17`; empty if the table has no partitions. */
  async suffixOf(db: Kysely<Database>, userId: number): Promise<string> {
    const known = this.#known.get(userId);
    if (known !== undefined) return known;
    const { rows } = await sql<{ part: number }>`
      WITH parts AS (SELECT count(*)::int AS count FROM pg_inherits WHERE inhparent = 'keyword_documents'::regclass)
      SELECT part FROM parts, generate_series(0, parts.count - 1) AS part
      WHERE satisfies_hash_partition('keyword_documents'::regclass, parts.count, part, ${userId}::bigint)`.execute(
      db,
    );
    const suffix = rows[0] === undefined ? '' : `_p${rows[0].part}`;
    this.#known.set(userId, suffix);
    return suffix;
  }
}

/** A list of so many docs is of a user whose documents are not all to be read for a term. */
const longList = 1000;
const longListsMax = 10_000;
type UsersWithLongLists = LRUCache<number, true>;

/** Users, by id, of whom this process has read a long list of postings. */
export const usersWithLongLists = (): UsersWithLongLists => new LRUCache({ max: longListsMax });

export class PostgresKeywordReader {
  readonly #db: Kysely<Database>;
  readonly #userId: number;
  readonly #longLists: UsersWithLongLists;
  readonly #parts: KeywordPartitions;

  constructor(
    db: Kysely<Database>,
    userId: number,
    { longLists, parts }: { readonly longLists: UsersWithLongLists; readonly parts: KeywordPartitions },
  ) {
    this.#db = db;
    this.#userId = userId;
    this.#longLists = longLists;
    this.#parts = parts;
  }

  async postings(
    kind: DocumentKind,
    terms: readonly string[],
    after?: readonly number[],
  ): Promise<Postings[]> {
    const prefix = keyPrefix(kind, this.#userId);
    const requested = terms.map((term, i) => ({ term, after: after?.[i] ?? 0 }));
    const [once, twice] = await this.#lists(prefix, requested, [1, 2]);
    const repeated = requested.filter((_, i) => twice[i].length > 0);
    const more = repeated.length === 0 ? [] : await this.#lists(prefix, repeated, higherFrequencies);
    return requested.map((each, i) => {
      const at = repeated.indexOf(each);
      const lists = at < 0 ? [] : [twice[i], ...more.map((ofTerms) => ofTerms[at])];
      return toPostings(once[i], lists);
    });
  }

  async docsContaining(
    kind: DocumentKind,
    terms: readonly string[],
    after?: readonly number[],
  ): Promise<number[][]> {
    const requested = terms.map((term, i) => ({ term, after: after?.[i] ?? 0 }));
    const [lists] = await this.#lists(keyPrefix(kind, this.#userId), requested, [1]);
    return lists;
  }

  /** Per frequency and term: the docs that contain the term at least so often. */
  async #lists(
    prefix: string,
    terms: readonly RequestedTerm[],
    frequencies: readonly number[],
  ): Promise<number[][][]> {
    const requested = frequencies.flatMap((frequency) =>
      terms.map(({ term, after }) => ({ query: `'${frequencyKey(prefix, term, frequency)}'`, after })),
    );
    const queries = requested.map(({ query }) => query);
    const after = requested.map((each) => each.after);
    // One plan for all users reads all documents of the user once, which is best for most of them. For a large user
    // it takes five times as long as a plan for these values; if few docs are above the smallest `after`, that reads
    // those by their key.
    const planned = this.#longLists.get(this.#userId) ? plannedForValues : sql.raw('');
    const table = sql.table(`keyword_documents${await this.#parts.suffixOf(this.#db, this.#userId)}`);
    const { rows } = await sql<{ place: number; docs: string }>`${planned}
      SELECT requested.place, string_agg(found.doc::text, ',' ORDER BY found.doc) AS docs
      FROM unnest(${queries}::text[], ${after}::bigint[]) WITH ORDINALITY AS requested (query, after, place)
      JOIN ${table} AS found ON found.user_id = ${this.#userId} AND found.doc > ${Math.min(...after)}
        AND found.doc > requested.after AND found.keys @@ requested.query::tsquery
      GROUP BY requested.place`.execute(this.#db);
    const found = new Map(rows.map(({ place, docs }) => [place - 1, JSON.parse(`[${docs}]`) as number[]]));
    if ([...found.values()].some(({ length }) => length >= longList)) this.#longLists.set(this.#userId, true);
    return frequencies.map((_, f) => terms.map((_term, t) => found.get(f * terms.length + t) ?? []));
  }
}

interface RequestedTerm {
  readonly term: string;
  /** Postings are requested above this doc. */
  readonly after: number;
}

const higherFrequencies = Array.from({ length: frequencyMax - 2 }, (_, i) => i + 3);
