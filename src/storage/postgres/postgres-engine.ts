import { type Kysely, sql } from 'kysely';
import { userGone } from '../../domain/shared/errors.ts';
import type { UserStores, UserWriters } from '../../domain/shared/stores.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import { FailureLog } from '../../lib/failure-log.ts';
import type { DocumentIndexer, Encoders, IndexReader } from '../../retrieval/ports.ts';
import type { StorageEngine } from '../engine.ts';
import { migrate } from '../sql/core/migrate.ts';
import type { Database } from '../sql/core/schema.ts';
import { UserDatabase } from '../sql/core/user-database.ts';
import { SqlUpkeep } from '../sql/maintenance/sql-upkeep.ts';
import type { UpkeepParts } from '../sql/maintenance/upkeep-parts.ts';
import { SqlIndexRows } from '../sql/search-index/index-rows.ts';
import { KnownTerms } from '../sql/search-index/known-terms.ts';
import { SqlTransfer } from '../sql/transfer/sql-transfer.ts';
import { usersWithDue } from '../sql/upkeep/users-with-due.ts';
import { userReaders, userWriters } from '../sql/user-stores.ts';
import { SqlIdempotencyStore } from '../sql/users/idempotency-store.ts';
import { SqlKeyStore } from '../sql/users/key-store.ts';
import { SqlUserStore } from '../sql/users/user-store.ts';
import { openFirstSpace } from '../sql/vectors/change-spaces.ts';
import { LiveSpaces } from '../sql/vectors/live-spaces.ts';
import { VectorUpkeep } from '../sql/vectors/vector-upkeep.ts';
import { advisoryLocks } from './advisory-locks.ts';
import { awaitServer, type ServerWait } from './await-server.ts';
import { ErasedText } from './erased-text.ts';
import { indexedWrites } from './indexed-writes.ts';
import { PostgresKeywordReader } from './keyword-index.ts';
import { postgresMigrations } from './migrations.ts';
import { createPool, kyselyOver } from './pool.ts';
import { inSharedTransaction, lockAlone, lockForServing, type ServeMark } from './serve-mark.ts';
import { eraseOrphans, withSnapshot } from './store-snapshot.ts';
import { readColumns } from './table-columns.ts';
import { UserQueues } from './user-queues.ts';
import { HnswIndexes } from './vectors/hnsw-indexes.ts';
import { NearestVectors } from './vectors/nearest-vectors.ts';
import { preparePgvector } from './vectors/pgvector.ts';

export interface PostgresEngineOptions {
  readonly url: string;
  readonly connections: number;
  readonly indexer: DocumentIndexer;
  /** Absent: no vectors are made. */
  readonly encoders?: Encoders;
  /** To serve the database, to replace what it holds while none serves, or (as by default) to work beside those that serve. */
  readonly use?: 'serve' | 'alone' | 'beside';
  readonly failures?: FailureLog;
  /** Absent: a server that does not answer is the driver's failure. */
  readonly wait?: ServerWait;
}

async function eraseDocuments(db: Kysely<Database>, userId: number): Promise<void> {
  await sql`DELETE FROM keyword_documents WHERE user_id = ${userId}`.execute(db);
}

async function markFor(
  { use, url }: PostgresEngineOptions,
  failures: FailureLog,
): Promise<ServeMark | undefined> {
  if (use === 'serve') return lockForServing(url, failures);
  return use === 'alone' ? lockAlone(url) : undefined;
}

async function sizeBytes(db: Kysely<Database>): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`SELECT pg_database_size(current_database()) AS bytes`.execute(
    db,
  );
  return rows[0].bytes;
}

function readerOf(db: Kysely<Database>, hasPgvector: boolean, user: UserRef): IndexReader {
  const rows = new SqlIndexRows(new UserDatabase(db, user.id));
  const keywords = new PostgresKeywordReader(db, user.id);
  const vectors = new NearestVectors(db, user.id);
  return Object.assign(rows, {
    postings: keywords.postings.bind(keywords),
    holders: keywords.holders.bind(keywords),
    ...(hasPgvector && { nearest: vectors.nearest.bind(vectors) }),
  });
}

interface OpenDatabase {
  readonly db: Kysely<Database>;
  readonly mark: ServeMark | undefined;
  /** Whether the database compares vectors itself. */
  readonly hasPgvector: boolean;
}

/** Connects and brings the tables up to date. */
async function openDatabase(
  options: PostgresEngineOptions,
  spaces: LiveSpaces,
  failures: FailureLog,
): Promise<OpenDatabase> {
  const { url, connections, wait } = options;
  if (wait) await awaitServer(url, wait);
  let mark: ServeMark | undefined;
  const db = kyselyOver(createPool(url, connections, failures), () => mark?.assertHeld());
  try {
    mark = await markFor(options, failures);
    const hasPgvector = await db.transaction().execute(async (tx) => {
      await sql`SELECT pg_advisory_xact_lock(${advisoryLocks.migration}::bigint)`.execute(tx);
      await migrate(tx, postgresMigrations);
      await openFirstSpace(tx, spaces.wanted, Date.now());
      return preparePgvector(tx, failures);
    });
    await spaces.refresh(db);
    return { db, mark, hasPgvector };
  } catch (error) {
    await mark?.release();
    await db.destroy();
    throw error;
  }
}

/** Transactions that belong to no user. */
function writesTo(db: Kysely<Database>, isShared: boolean) {
  return <T>(body: (tx: Kysely<Database>) => Promise<T>) =>
    isShared ? inSharedTransaction(db, body) : db.transaction().execute(body);
}

/** Opens the PostgreSQL store; any number of processes may work on it at once. */
export async function openPostgresEngine(options: PostgresEngineOptions): Promise<StorageEngine> {
  const { failures = new FailureLog() } = options;
  const spaces = new LiveSpaces(options.encoders);
  const { db, mark, hasPgvector } = await openDatabase(options, spaces, failures);
  const isShared = options.use !== 'alone';
  const base = { read: db, write: writesTo(db, isShared), failures };
  const known = new KnownTerms();
  const queues = new UserQueues(db, { known, spaces }, { isShared });
  const writeOf = indexedWrites(queues, known);

  const vectors = new VectorUpkeep({
    spaces,
    ...base,
    writeOf: (userId, body) => queues.run(userId, body),
    isShared: true,
    isOnly: false,
  });

  const forUser = (user: UserRef): UserStores => ({
    ...userReaders(db, user.id),
    transaction: <T>(body: (tx: UserWriters) => Promise<T>) =>
      vectors.after(
        writeOf(user.id, (tx, keywords, isActive) => {
          if (!isActive) throw userGone();
          return body(userWriters({ db: tx, userId: user.id, keywords, indexer: options.indexer, spaces }));
        }),
      ),
  });

  const parts: UpkeepParts = {
    indexer: options.indexer,
    spaces,
    ...base,
    writeOf,
    stores: { forUser },
    snapshot: (body) => withSnapshot(db, body),
    eraseOrphans,
    resetIndex: async (tx) => void (await sql`DELETE FROM keyword_documents`.execute(tx)),
  };
  const erased = new ErasedText({ db, write: base.write, failures });
  const own = hasPgvector ? [erased, new HnswIndexes(db, failures)] : [erased];
  const upkeep = new SqlUpkeep(parts, vectors, own);
  const users = new SqlUserStore({ ...base, eraseDocuments, afterErasure: () => erased.scrubWholly() });

  return {
    name: 'postgres',
    vectorIndex: hasPgvector ? 'pgvector' : 'codes',
    upkeep,
    idempotency: new SqlIdempotencyStore(parts),
    trash: { usersWithDue: (until, limit) => usersWithDue(db, until, limit), scrub: () => erased.scrub() },
    keys: new SqlKeyStore(base),
    users,
    transfer: new SqlTransfer({ ...parts, users, readColumns }),
    failures,
    forUser,
    indexFor: (user) => readerOf(db, hasPgvector, user),
    ...vectors.ports,
    queueDepth: () => queues.depth,
    ping: async () => void (await sql`SELECT 1`.execute(db)),
    sizeBytes: () => sizeBytes(db),
    close: async () => {
      await upkeep.stop();
      await queues.idle();
      await db.destroy();
      await mark?.release();
    },
  };
}
