import { sql } from 'kysely';
import type { TermShape, Vocabulary } from '../../retrieval/ports.ts';
import { listArguments, listQuery } from './list-query.ts';
import type { UserDatabase } from './user-database.ts';
import { UserQuery } from './user-query.ts';

interface TermRow {
  readonly term: string;
}

const termsAmong = listQuery<string, TermRow>((tables, terms) =>
  tables.selectFrom('user_terms').select('term').where('term', 'in', terms),
);

const termsFrom = new UserQuery<{ from: string; to: string; limit: number }, TermRow>((tables, args) =>
  tables
    .selectFrom('user_terms')
    .select('term')
    .where('term', '>=', args.from)
    .where('term', '<', args.to)
    .orderBy(sql`length(term)`)
    .orderBy('term')
    .limit(args.limit),
);

/** The terms of one user's memories, as a table beside the keyword index: neither engine's index can list them. */
export class SqlVocabulary implements Vocabulary {
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
    const rows = await this.#db.all(termsFrom, { from: prefix, to: `${prefix}\u{10ffff}`, limit });
    return rows.map(({ term }) => term);
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
