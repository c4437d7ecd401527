import { sql } from 'kysely';
import type { SubjectMention } from '../../../domain/relationships/found-relationship.ts';
import type {
  SharedDerivationReader,
  VersionDerivation,
} from '../../../domain/relationships/relationship-grounds.ts';
import { chunksOf, groupBy } from '../../../lib/collections.ts';
import { join } from '../core/joins.ts';
import { listArguments, listQuery } from '../core/list-query.ts';
import type { UserDatabase } from '../core/user-database.ts';
import { UserQuery } from '../core/user-query.ts';

const eachMax = 200;

export class SqlSharedDerivationReader implements SharedDerivationReader {
  readonly #db: UserDatabase;

  constructor(db: UserDatabase) {
    this.#db = db;
  }

  async derivationOf(doc: number): Promise<VersionDerivation> {
    const { tables } = this.#db;
    const entities = await tables
      .selectFrom('entity_mentions')
      .$call(join('entities', 'entity_mentions.entity_id'))
      .$call(join('entities as shown', 'entities.canonical_id'))
      .select(['shown.id', 'shown.name', 'shown.type'])
      .where('entity_mentions.doc', '=', doc)
      .where('entities.trashed_at', 'is', null)
      .where('shown.trashed_at', 'is', null)
      .orderBy('entity_mentions.start_at')
      .limit(eachMax)
      .execute();
    const facts = await tables
      .selectFrom('fact_mentions')
      .$call(join('facts', 'fact_mentions.fact_id'))
      .select(['facts.id', 'facts.subject', 'facts.predicate', 'facts.object'])
      .where('fact_mentions.doc', '=', doc)
      .where('facts.trashed_at', 'is', null)
      .orderBy('fact_mentions.start_at')
      .limit(eachMax)
      .execute();
    const topics = await tables
      .selectFrom('derived_topics')
      .$call(join('topics', 'derived_topics.topic_id'))
      .$call(join('topics as shown', 'topics.canonical_id'))
      .select('shown.name')
      .where('derived_topics.doc', '=', doc)
      .orderBy('derived_topics.score', 'desc')
      .limit(eachMax)
      .execute();
    return {
      entities: [...new Map(entities.map((entity) => [entity.id, entity])).values()],
      facts,
      topics: topics.map(({ name }) => name),
    };
  }
}

/** Types of unique things: two texts that name the same one may be about the same matter. */
export const namedThings = ['FILE', 'API_ENDPOINT', 'COMPONENT', 'PROJECT'];
const namesMax = 5;

const factsOfDocs = listQuery<number, SubjectMention>((tables, docs) =>
  tables
    .selectFrom('fact_mentions')
    .$call(join('facts', 'fact_mentions.fact_id'))
    .select(['fact_mentions.doc', 'facts.predicate', 'facts.doc as fact'])
    .select(sql<string>`lower(facts.subject)`.as('subject'))
    .where('fact_mentions.doc', 'in', docs)
    .orderBy('fact_mentions.doc')
    .orderBy('facts.doc'),
);

/** Along the index `facts_by_subject`, from a fact on to those before it or after it. */
const nearInSubject = (
  [
    ['<=', 'desc'],
    ['>', 'asc'],
  ] as const
).map(
  ([side, order]) =>
    new UserQuery<{ subject: string; fact: number; limit: number }, SubjectMention>(
      (tables, { subject, fact, limit }) =>
        tables
          .selectFrom('facts')
          .$call(join('fact_mentions', 'facts.id', 'fact_id'))
          .$call(join('memory_versions', 'fact_mentions.doc', 'doc'))
          .select(['fact_mentions.doc', 'facts.predicate', 'facts.doc as fact'])
          .select(sql<string>`lower(facts.subject)`.as('subject'))
          .where(sql`lower(facts.subject)`, '=', subject)
          .where('facts.fact_key', 'is not', null)
          .where('facts.doc', side, fact)
          .where('memory_versions.closed_at', 'is', null)
          .orderBy('facts.doc', order)
          .limit(limit),
    ),
);

const thingsOf = listQuery((tables, docs: readonly number[]) =>
  tables
    .selectFrom('entity_mentions')
    .$call(join('entities', 'entity_mentions.entity_id'))
    .select(['entity_mentions.doc', 'entity_mentions.entity_id'])
    .where('entity_mentions.doc', 'in', docs)
    .where('entities.type', 'in', namedThings)
    .where('entities.trashed_at', 'is', null)
    .orderBy('entity_mentions.start_at'),
);

const newestWith = new UserQuery(
  (tables, { entity, doc, limit }: { entity: string; doc: number; limit: number }) =>
    tables
      .selectFrom('entity_mentions')
      .select('doc')
      .where('entity_id', '=', entity)
      .where('doc', '<>', doc)
      .orderBy('doc', 'desc')
      .limit(limit),
);

export async function subjectsOf(db: UserDatabase, docs: readonly number[]): Promise<SubjectMention[]> {
  const found: SubjectMention[] = [];
  for (const chunk of chunksOf(docs))
    found.push(...(await db.all(factsOfDocs(chunk.length), listArguments(chunk))));
  return found;
}

/** Before a fact, newest first, and after it, oldest first. */
export async function mentionsOfSubject(
  db: UserDatabase,
  subject: string,
  fact: number,
  limit: number,
): Promise<SubjectMention[][]> {
  const sides: SubjectMention[][] = [];
  for (const query of nearInSubject) sides.push(await db.all(query, { subject, fact, limit }));
  return sides;
}

export async function sharingNames(
  db: UserDatabase,
  docs: readonly number[],
  limit: number,
): Promise<ReadonlyMap<number, readonly number[]>> {
  const found = new Map<number, readonly number[]>();
  for (const chunk of chunksOf(docs)) {
    const things = await db.all(thingsOf(chunk.length), listArguments(chunk));
    for (const [doc, own] of groupBy(things, (thing) => thing.doc)) {
      const others = new Set<number>();
      for (const { entity_id: entity } of own.slice(0, namesMax))
        for (const other of await db.all(newestWith, { entity, doc, limit })) others.add(other.doc);
      found.set(doc, [...others]);
    }
  }
  return found;
}
