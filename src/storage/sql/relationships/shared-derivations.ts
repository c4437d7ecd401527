import type {
  SharedDerivationReader,
  VersionDerivation,
} from '../../../domain/relationships/shared-derivation-store.ts';
import { join } from '../core/joins.ts';
import type { UserDatabase } from '../core/user-database.ts';

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
