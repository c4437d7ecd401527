import type { ConfidenceBasis, FactOfMemory } from '../../../domain/facts/fact.ts';
import type { EpochMs } from '../../../domain/shared/time.ts';
import { chunksOf } from '../../../lib/collections.ts';
import type {
  FactIndexReader,
  FactOfVersion,
  LiveDocument,
  RecordText,
} from '../../../search-index/ports.ts';
import { join } from '../core/joins.ts';
import { listArguments, listQuery } from '../core/list-query.ts';
import type { UserDatabase } from '../core/user-database.ts';
import { UserQuery } from '../core/user-query.ts';
import { factTextsAsOf } from '../facts/facts-of-versions.ts';

type DocRow = { readonly doc: number };

const versionsOfFactsMax = 20_000;

const documents = listQuery<number, LiveDocument>((tables, docs) =>
  tables
    .selectFrom('facts')
    .select(['id', 'doc', 'term_count as termCount'])
    .where('doc', 'in', docs)
    .where('trashed_at', 'is', null),
);

const texts = new UserQuery<{ limit: number }, DocRow & Omit<FactOfMemory, 'confidence'>>(
  (tables, { limit }) =>
    tables
      .selectFrom('facts')
      .select(['id', 'doc', 'subject', 'predicate', 'object'])
      .where('trashed_at', 'is', null)
      .orderBy('doc', 'desc')
      .limit(limit),
);

const derivedFrom = listQuery<number, FactOfVersion>((tables, factDocs) =>
  tables
    .selectFrom('facts')
    .$call(join('fact_mentions', 'facts.id', 'fact_id'))
    .select(['facts.doc as factDoc', 'fact_mentions.doc'])
    .select((eb) => [eb.val(0).as('knownSince'), eb.ref('fact_mentions.outdated').as('isOutdated')])
    .where('facts.doc', 'in', factDocs)
    .where('facts.trashed_at', 'is', null)
    .orderBy('fact_mentions.doc', 'desc')
    .limit(versionsOfFactsMax),
);

const drawnFrom = listQuery<number, FactOfVersion>((tables, factDocs) =>
  tables
    .selectFrom('facts')
    .$call(join('fact_sources', 'facts.id', 'fact_id'))
    .$call(join('memories', 'fact_sources.memory_id'))
    .$call(join('memory_versions', 'memories.seq', 'memory_seq'))
    .select(['facts.doc as factDoc', 'memory_versions.doc', 'facts.created_at as knownSince'])
    .select((eb) => eb.val(0).as('isOutdated'))
    .where('facts.doc', 'in', factDocs)
    .where('facts.trashed_at', 'is', null)
    .orderBy('memory_versions.doc', 'desc')
    .limit(versionsOfFactsMax),
);

interface FactRow extends Omit<FactOfMemory, 'basis' | 'isNegated'>, DocRow {
  readonly negated: number;
  readonly corrected: number;
}

const facts = listQuery<number, FactRow>((tables, docs) =>
  tables
    .selectFrom('facts')
    .select(['doc', 'id', 'subject', 'predicate', 'object', 'confidence', 'negated', 'corrected'])
    .where('doc', 'in', docs)
    .where('trashed_at', 'is', null),
);

interface BasisRow extends DocRow {
  readonly id: string;
  readonly basis: ConfidenceBasis;
}

/** A corrected fact has no basis in the text any more. */
const bases = listQuery<number, BasisRow>((tables, docs) =>
  tables
    .selectFrom('fact_mentions')
    .$call(join('facts', 'fact_mentions.fact_id'))
    .select(['fact_mentions.doc', 'fact_mentions.basis', 'facts.id'])
    .where('fact_mentions.doc', 'in', docs)
    .where('facts.corrected', '=', 0)
    .where('facts.trashed_at', 'is', null),
);

/** See `FactIndexReader`. */
export class SqlFactIndex implements FactIndexReader {
  readonly #db: UserDatabase;

  constructor(db: UserDatabase) {
    this.#db = db;
  }

  async documents(factDocs: readonly number[]): Promise<LiveDocument[]> {
    const found: LiveDocument[] = [];
    for (const chunk of chunksOf(factDocs))
      found.push(...(await this.#db.all(documents(chunk.length), listArguments(chunk))));
    return found;
  }

  async texts(limit: number): Promise<RecordText[]> {
    const rows = await this.#db.all(texts, { limit });
    return rows.map(({ id, doc, subject, predicate, object }) => ({
      id,
      doc,
      text: `${subject} ${predicate} ${object}`,
    }));
  }

  async versionsOf(factDocs: readonly number[]): Promise<FactOfVersion[]> {
    const found: FactOfVersion[] = [];
    for (const chunk of chunksOf(factDocs))
      for (const query of [derivedFrom, drawnFrom])
        found.push(...(await this.#db.all(query(chunk.length), listArguments(chunk))));
    return found;
  }

  async byDoc(factDocs: readonly number[], asOf: EpochMs | undefined): Promise<Map<number, FactOfMemory>> {
    const found = new Map<number, FactOfMemory>();
    for (const chunk of chunksOf(factDocs))
      for (const row of await this.#db.all(facts(chunk.length), listArguments(chunk))) {
        const { doc, negated, corrected, ...fact } = row;
        found.set(doc, { ...fact, isNegated: corrected === 0 && negated === 1 });
      }
    if (asOf === undefined) return found;
    const ids = [...found.values()].map(({ id }) => id);
    const said = await factTextsAsOf(this.#db, ids, asOf);
    for (const [doc, fact] of found) found.set(doc, { ...fact, ...said.get(fact.id) });
    return found;
  }

  async basesIn(docs: readonly number[]): Promise<Map<number, Map<string, ConfidenceBasis>>> {
    const found = new Map<number, Map<string, ConfidenceBasis>>();
    for (const chunk of chunksOf(docs))
      for (const { doc, id, basis } of await this.#db.all(bases(chunk.length), listArguments(chunk)))
        found.set(doc, (found.get(doc) ?? new Map<string, ConfidenceBasis>()).set(id, basis));
    return found;
  }
}
