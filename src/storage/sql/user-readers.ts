import type { Kysely } from 'kysely';
import type { UserReaders, UserStores } from '../../domain/shared/stores.ts';
import type { TextIndexer } from '../../domain/shared/text-indexer.ts';
import { SqlArtifactReader } from './artifacts/artifact-store.ts';
import { SqlCommunityReader } from './communities/community-store.ts';
import { SqlConversationReader } from './conversations/conversation-store.ts';
import type { CountCache } from './core/count-cache.ts';
import type { Database } from './core/schema.ts';
import { UserDatabase } from './core/user-database.ts';
import { view } from './core/user-tables.ts';
import { SqlDerivationReader } from './derivation/derivation-reader.ts';
import { SqlEntityReader } from './entities/entity-reader.ts';
import { SqlFactReader } from './facts/fact-store.ts';
import { SqlFeedbackReader } from './feedback/feedback-store.ts';
import { SqlGraphReader } from './graph/graph-store.ts';
import { SqlTraceReader } from './graph/trace-store.ts';
import { SqlMemoryReader } from './memories/memory-reader.ts';
import { SqlNarrativeReader } from './narratives/narrative-store.ts';
import { SqlBehaviourReader } from './patterns/behaviour-store.ts';
import { SqlPatternReader } from './patterns/pattern-reader.ts';
import { SqlQualityReader } from './quality/quality-store.ts';
import { SqlFoundRelationshipReader } from './relationships/found-edge-store.ts';
import { SqlRelationshipReader } from './relationships/relationship-store.ts';
import { SqlSharedDerivationReader } from './relationships/shared-derivations.ts';
import { SqlTopicMergeReader } from './topics/topic-merge-store.ts';
import { SqlTopicReader } from './topics/topic-store.ts';
import { SqlTrashReader } from './trash/trash-store.ts';

/** The readers of one user, each created at its first use: a request needs two or three of them. */
export class SqlUserReaders implements UserReaders {
  readonly #db: UserDatabase;

  constructor(db: Kysely<Database>, userId: number, counts: CountCache) {
    this.#db = new UserDatabase(db, userId, view.ofReaders, counts);
  }

  get memories() {
    return new SqlMemoryReader(this.#db);
  }

  get conversations() {
    return new SqlConversationReader(this.#db);
  }

  get topics() {
    return new SqlTopicReader(this.#db);
  }

  get topicMerges() {
    return new SqlTopicMergeReader(this.#db);
  }

  get relationships() {
    return new SqlRelationshipReader(this.#db);
  }

  get foundRelationships() {
    return new SqlFoundRelationshipReader(this.#db);
  }

  get sharedDerivations() {
    return new SqlSharedDerivationReader(this.#db);
  }

  get facts() {
    return new SqlFactReader(this.#db);
  }

  get derivation() {
    return new SqlDerivationReader(this.#db);
  }

  get entities() {
    return new SqlEntityReader(this.#db);
  }

  get feedback() {
    return new SqlFeedbackReader(this.#db);
  }

  get quality() {
    return new SqlQualityReader(this.#db);
  }

  get artifacts() {
    return new SqlArtifactReader(this.#db);
  }

  get trash() {
    return new SqlTrashReader(this.#db);
  }

  get narratives() {
    return new SqlNarrativeReader(this.#db);
  }

  get communities() {
    return new SqlCommunityReader(this.#db);
  }

  get patterns() {
    return new SqlPatternReader(this.#db);
  }

  get behaviour() {
    return new SqlBehaviourReader(this.#db);
  }

  get graph() {
    return new SqlGraphReader(this.#db);
  }

  get traces() {
    return new SqlTraceReader(this.#db);
  }
}

export interface UserStoresDeps {
  readonly db: Kysely<Database>;
  readonly userId: number;
  readonly counts: CountCache;
  readonly indexer: TextIndexer;
  readonly transaction: UserStores['transaction'];
}

export class SqlUserStores extends SqlUserReaders implements UserStores {
  readonly indexer: TextIndexer;
  readonly transaction: UserStores['transaction'];

  constructor({ db, userId, counts, indexer, transaction }: UserStoresDeps) {
    super(db, userId, counts);
    this.indexer = indexer;
    this.transaction = transaction;
  }
}
