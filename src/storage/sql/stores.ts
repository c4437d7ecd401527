import type { UserReaders, UserStores, UserWriters } from '../../domain/shared/stores.ts';
import { SqlArtifactReader, SqlArtifactWriter } from './artifacts/artifact-store.ts';
import { SqlCommunityReader } from './communities/community-store.ts';
import { SqlCommunityWriter } from './communities/community-writer.ts';
import { SqlConversationReader, SqlConversationWriter } from './conversations/conversation-store.ts';
import { SqlChangeReader } from './core/change-counter.ts';
import type { UserDatabase } from './core/user-database.ts';
import { SqlDerivationReader } from './derivation/derivation-reader.ts';
import { SqlDerivationWriter } from './derivation/derivation-writer.ts';
import { SqlEntityReader, SqlEntityWriter } from './entities/entity-store.ts';
import { SqlFactReader, SqlFactWriter } from './facts/fact-store.ts';
import { SqlFeedbackReader, SqlFeedbackWriter } from './feedback/feedback-store.ts';
import { SqlGraphReader } from './graph/graph-store.ts';
import { SqlTraceReader, SqlTraceWriter } from './graph/trace-store.ts';
import { SqlImportReader, SqlImportWriter } from './imports/import-store.ts';
import { SqlJobReader, SqlJobWriter } from './jobs/job-store.ts';
import { SqlMemoryReader } from './memories/memory-reader.ts';
import { SqlMemoryWriter } from './memories/memory-writer.ts';
import { SqlNarrativeReader, SqlNarrativeWriter } from './narratives/narrative-store.ts';
import {
  SqlBehaviourReader,
  SqlBehaviourWriter,
  SqlPatternReader,
  SqlPatternWriter,
} from './patterns/pattern-store.ts';
import { SqlQualityReader } from './quality/quality-store.ts';
import {
  SqlFoundRelationshipReader,
  SqlFoundRelationshipWriter,
} from './relationships/found-relationship-store.ts';
import { SqlRelationshipReader, SqlRelationshipWriter } from './relationships/relationship-store.ts';
import { SqlSharedDerivationReader } from './relationships/shared-derivations.ts';
import type { KeywordWriter } from './search-index/keyword-index.ts';
import { SqlTopicMergeReader, SqlTopicMergeWriter } from './topics/topic-merge-store.ts';
import { SqlTopicReader, SqlTopicWriter } from './topics/topic-store.ts';
import { SqlRecordEraser } from './trash/record-eraser.ts';
import { SqlTrashReader, SqlTrashWriter } from './trash/trash-store.ts';
import { SqlResponseWriter } from './users/idempotency-store.ts';
import { SqlKeyWriter } from './users/key-store.ts';
import { VectorWriter, type VectorWriterDeps } from './vectors/vector-writer.ts';
import { SqlWebhookReader, SqlWebhookWriter } from './webhooks/webhook-store.ts';

/** Parts of a transaction that writers use in addition to the tables of the user. */
interface WriterDeps extends VectorWriterDeps {
  readonly keywords: KeywordWriter;
}

type Reader<K extends keyof UserReaders> = new (db: UserDatabase) => UserReaders[K];
type Writer<K extends keyof UserWriters> = new (db: UserDatabase, deps: WriterDeps) => UserWriters[K];

/** Every store of a user: its reader, and the writer that takes its place in a transaction. */
const stores: { readonly [K in keyof UserReaders]: readonly [Reader<K>, Writer<K>] } = {
  memories: [SqlMemoryReader, SqlMemoryWriter],
  conversations: [SqlConversationReader, SqlConversationWriter],
  topics: [SqlTopicReader, SqlTopicWriter],
  topicMerges: [SqlTopicMergeReader, SqlTopicMergeWriter],
  relationships: [SqlRelationshipReader, SqlRelationshipWriter],
  foundRelationships: [SqlFoundRelationshipReader, SqlFoundRelationshipWriter],
  sharedDerivations: [SqlSharedDerivationReader, SqlSharedDerivationReader],
  facts: [SqlFactReader, SqlFactWriter],
  derivation: [SqlDerivationReader, SqlDerivationWriter],
  entities: [SqlEntityReader, SqlEntityWriter],
  feedback: [SqlFeedbackReader, SqlFeedbackWriter],
  quality: [SqlQualityReader, SqlQualityReader],
  artifacts: [SqlArtifactReader, SqlArtifactWriter],
  imports: [SqlImportReader, SqlImportWriter],
  trash: [SqlTrashReader, SqlTrashWriter],
  narratives: [SqlNarrativeReader, SqlNarrativeWriter],
  communities: [SqlCommunityReader, SqlCommunityWriter],
  patterns: [SqlPatternReader, SqlPatternWriter],
  behaviour: [SqlBehaviourReader, SqlBehaviourWriter],
  graph: [SqlGraphReader, SqlGraphReader],
  traces: [SqlTraceReader, SqlTraceWriter],
  changes: [SqlChangeReader, SqlChangeReader],
  jobs: [SqlJobReader, SqlJobWriter],
  webhooks: [SqlWebhookReader, SqlWebhookWriter],
};

/** Stores that exist only in a transaction. */
const transactionStores: { readonly [K in Exclude<keyof UserWriters, keyof UserReaders>]: Writer<K> } = {
  vectors: VectorWriter,
  eraser: SqlRecordEraser,
  responses: SqlResponseWriter,
  keys: SqlKeyWriter,
};

/** Has a getter for each reader: a request needs two or three of them. */
class Readers {
  readonly #db: UserDatabase;
  readonly indexer: UserStores['indexer'];
  readonly transaction: UserStores['transaction'];

  constructor(db: UserDatabase, { indexer, transaction }: Pick<UserStores, 'indexer' | 'transaction'>) {
    this.#db = db;
    this.indexer = indexer;
    this.transaction = transaction;
  }

  static {
    for (const [name, [Reader]] of Object.entries(stores))
      defineGetter<Readers>(Readers.prototype, name, (readers) => new Reader(readers.#db));
  }
}

/** Has one writer of each kind for the whole transaction: a bulk create keeps rows in them that it writes at its end. */
class Writers {
  readonly #db: UserDatabase;
  readonly #deps: WriterDeps;
  readonly #made = new Map<string, unknown>();

  constructor(db: UserDatabase, deps: WriterDeps) {
    this.#db = db;
    this.#deps = deps;
  }

  static {
    const writers: [string, new (db: UserDatabase, deps: WriterDeps) => unknown][] =
      Object.entries(transactionStores);
    for (const [name, [, Writer]] of Object.entries(stores)) writers.push([name, Writer]);
    for (const [name, Writer] of writers)
      defineGetter<Writers>(Writers.prototype, name, (of) => of.#writer(name, Writer));
  }

  #writer(name: string, Writer: new (db: UserDatabase, deps: WriterDeps) => unknown): unknown {
    const made = this.#made.get(name) ?? new Writer(this.#db, this.#deps);
    this.#made.set(name, made);
    return made;
  }
}

function defineGetter<T extends object>(prototype: T, name: string, get: (of: T) => unknown): void {
  Object.defineProperty(prototype, name, {
    get(this: T) {
      return get(this);
    },
  });
}

/** @param db reads committed rows */
export function storesOf(db: UserDatabase, parts: Pick<UserStores, 'indexer' | 'transaction'>): UserStores {
  return new Readers(db, parts) as unknown as UserStores;
}

/** @param db the handle of the transaction */
export function writersOf(db: UserDatabase, deps: WriterDeps): UserWriters {
  return new Writers(db, deps) as unknown as UserWriters;
}
