import type { Kysely } from 'kysely';
import type { StepKey } from '../../domain/jobs/step-key.ts';
import type { UserWriters } from '../../domain/shared/stores.ts';
import { SqlArtifactWriter } from './artifacts/artifact-store.ts';
import { SqlCommunityWriter } from './communities/community-writer.ts';
import { SqlConversationWriter } from './conversations/conversation-store.ts';
import type { Database } from './core/schema.ts';
import { UserDatabase } from './core/user-database.ts';
import { view } from './core/user-tables.ts';
import { SqlDerivationWriter } from './derivation/derivation-writer.ts';
import { SqlEntityWriter } from './entities/entity-writer.ts';
import { SqlFactWriter } from './facts/fact-store.ts';
import { SqlFeedbackWriter } from './feedback/feedback-store.ts';
import { SqlGraphReader } from './graph/graph-store.ts';
import { SqlTraceWriter } from './graph/trace-store.ts';
import { SqlMemoryWriter } from './memories/memory-writer.ts';
import { SqlNarrativeWriter } from './narratives/narrative-writer.ts';
import { SqlBehaviourWriter } from './patterns/behaviour-store.ts';
import { SqlPatternWriter } from './patterns/pattern-writer.ts';
import { SqlQualityReader } from './quality/quality-store.ts';
import { SqlFoundRelationshipWriter } from './relationships/found-edge-store.ts';
import { SqlRelationshipWriter } from './relationships/relationship-store.ts';
import { SqlSharedDerivationReader } from './relationships/shared-derivations.ts';
import type { KeywordWriter } from './search-index/keyword-writer.ts';
import { SqlTopicMergeWriter } from './topics/topic-merge-store.ts';
import { SqlTopicWriter } from './topics/topic-writer.ts';
import { SqlRecordEraser } from './trash/record-eraser.ts';
import { SqlTrashWriter } from './trash/trash-store.ts';
import { SqlResponseWriter } from './users/idempotency-store.ts';
import { SqlKeyWriter } from './users/key-store.ts';
import type { SpaceRegistry } from './vectors/space-registry.ts';
import { VectorWriter } from './vectors/vector-writer.ts';

export interface WriterDeps {
  readonly db: Kysely<Database>;
  readonly userId: number;
  readonly keywords: KeywordWriter;
  readonly spaces: SpaceRegistry;
  readonly steps: readonly StepKey[];
}

/** The stores of a transaction, each created at its first use; `db` is the transaction's own handle. */
export class SqlUserWriters implements UserWriters {
  readonly #db: UserDatabase;
  readonly #keywords: KeywordWriter;
  readonly #spaces: SpaceRegistry;
  readonly #steps: readonly StepKey[];

  constructor({ db, userId, keywords, spaces, steps }: WriterDeps) {
    this.#db = new UserDatabase(db, userId, view.ofWriters);
    this.#keywords = keywords;
    this.#spaces = spaces;
    this.#steps = steps;
  }

  get memories() {
    const { vectors } = this;
    return new SqlMemoryWriter({ db: this.#db, keywords: this.#keywords, vectors, steps: this.#steps });
  }

  get vectors() {
    return new VectorWriter(this.#db, this.#spaces, this.#steps);
  }

  get conversations() {
    return new SqlConversationWriter(this.#db, this.#keywords);
  }

  get topics() {
    return new SqlTopicWriter(this.#db);
  }

  get topicMerges() {
    return new SqlTopicMergeWriter(this.#db);
  }

  get relationships() {
    return new SqlRelationshipWriter(this.#db);
  }

  get foundRelationships() {
    return new SqlFoundRelationshipWriter(this.#db);
  }

  get sharedDerivations() {
    return new SqlSharedDerivationReader(this.#db);
  }

  get facts() {
    return new SqlFactWriter(this.#db, this.#keywords);
  }

  get derivation() {
    return new SqlDerivationWriter(this.#db, this.#keywords);
  }

  get entities() {
    return new SqlEntityWriter(this.#db);
  }

  get feedback() {
    return new SqlFeedbackWriter(this.#db);
  }

  get quality() {
    return new SqlQualityReader(this.#db);
  }

  get artifacts() {
    return new SqlArtifactWriter(this.#db);
  }

  get trash() {
    return new SqlTrashWriter(this.#db);
  }

  get eraser() {
    return new SqlRecordEraser(this.#db, this.#keywords);
  }

  get narratives() {
    return new SqlNarrativeWriter(this.#db);
  }

  get communities() {
    return new SqlCommunityWriter(this.#db);
  }

  get patterns() {
    return new SqlPatternWriter(this.#db);
  }

  get behaviour() {
    return new SqlBehaviourWriter(this.#db);
  }

  get graph() {
    return new SqlGraphReader(this.#db);
  }

  get traces() {
    return new SqlTraceWriter(this.#db);
  }

  get responses() {
    return new SqlResponseWriter(this.#db.tables);
  }

  get keys() {
    return new SqlKeyWriter(this.#db.tables);
  }
}
