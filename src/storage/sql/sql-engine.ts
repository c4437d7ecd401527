import { type Kysely, sql } from 'kysely';
import { userGone } from '../../domain/shared/errors.ts';
import type { UserStores, UserWriters } from '../../domain/shared/stores.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import type { DueWebhook, WebhookBacklog } from '../../domain/webhooks/webhook.ts';
import type { StorageEngine } from '../engine.ts';
import { CountCache } from './core/counts.ts';
import type { Database } from './core/schema.ts';
import { UserDatabase } from './core/user-database.ts';
import { view } from './core/user-tables.ts';
import { SqlTraceStore } from './graph/trace-store.ts';
import { beginBackfills } from './jobs/backfill.ts';
import { CommitSignals } from './jobs/commit-signals.ts';
import { SqlWorkStore } from './jobs/sql-work-store.ts';
import { WorkSignals } from './jobs/work-signals.ts';
import { SqlIndexRows } from './search-index/index-rows.ts';
import type { KeywordWriter } from './search-index/keyword-index.ts';
import type { SqlDriver, SqlEngineDeps } from './sql-driver.ts';
import { storesOf, writersOf } from './stores.ts';
import { isActiveUser } from './transfer/load-names.ts';
import { SqlTransfer } from './transfer/sql-transfer.ts';
import { AnalyzerRebuild } from './upkeep/analyzer-rebuild.ts';
import { SqlSegmentStore } from './upkeep/segment-store.ts';
import { SqlUpkeep } from './upkeep/sql-upkeep.ts';
import { SqlTokenCounter } from './upkeep/token-counter.ts';
import { SqlIdempotencyStore } from './users/idempotency-store.ts';
import { SqlKeyStore } from './users/key-store.ts';
import { SqlOAuthStore } from './users/oauth-store.ts';
import { SqlUserStore } from './users/user-store.ts';
import { usersWith } from './users/users-with.ts';
import { SpaceChanges } from './vectors/space-changes.ts';
import { SqlEmbeddingProgress } from './vectors/sql-embedding-progress.ts';
import { vectorRowsOf } from './vectors/vector-checksum.ts';
import { VectorSums } from './vectors/vector-sums.ts';
import { backlogColumns, backlogStates, toBacklog } from './webhooks/webhook-store.ts';

/** Makes a store from an open driver: the composition root of all engines. */
export async function createSqlEngine(opened: SqlDriver, deps: SqlEngineDeps): Promise<StorageEngine> {
  const changeSignals = new CommitSignals(opened.notices);
  const driver = { ...opened, writeOf: changeSignals.over(opened.writeOf) };
  const { spaces, failures, steps } = deps;
  const indexer = { ...deps.indexer, vectors: (content: string) => spaces.vectorsOf(content) };
  const { read } = driver;
  if (!driver.isReadOnly) await beginSteps(driver, steps);
  const signals = new WorkSignals();
  const counts = new CountCache();
  const writers = (db: Kysely<Database>, userId: number, keywords: KeywordWriter) =>
    writersOf(new UserDatabase(db, userId, view.ofWriters), { keywords, spaces, steps });
  const work = new SqlWorkStore({ ...driver, signals, steps, writers });

  const afterCommit = <T>(written: Promise<T>): Promise<T> => {
    if (spaces.hasSlow || steps.length > 0)
      written.then(
        () => signals.added(),
        // The caller gets the error from `written`.
        () => undefined,
      );
    return written;
  };

  const forUser = (user: Pick<UserRef, 'id'>): UserStores => {
    const transaction = <T>(body: (tx: UserWriters) => Promise<T>): Promise<T> =>
      afterCommit(
        driver.writeOf(user.id, (db, keywords, isActive) => {
          if (!isActive()) throw userGone();
          return body(writers(db, user.id, keywords));
        }),
      );
    return storesOf(new UserDatabase(read, user.id, view.ofReaders, counts), { indexer, transaction });
  };

  const upkeepDeps = { ...driver, ...deps, indexer, stores: { forUser } };
  const rebuild = new AnalyzerRebuild(upkeepDeps);
  const sums = new VectorSums(upkeepDeps);
  const users = new SqlUserStore(driver);
  return {
    ...stateOf(driver),
    upkeep: new SqlUpkeep(upkeepDeps, rebuild),
    maintenance: {
      ...driver.maintenance,
      rebuildIndex: rebuild,
      vectorSums: sums,
      changeSpaces: new SpaceChanges({ ...driver, ...deps, signals }),
    },
    work,
    vectorSpaces: spaces,
    users,
    failures,
    forUser,
    transfer: new SqlTransfer({ ...driver, ...deps, indexer, users }),
    idempotency: new SqlIdempotencyStore(driver),
    traces: new SqlTraceStore(driver),
    ...accountsOf(driver, changeSignals),
    changeSignals,
    llmTokens: new SqlTokenCounter(driver),
    segments: new SqlSegmentStore(driver),
    trash: {
      usersWithDue: (until, limit) => usersWithDueTrash(driver, until, limit),
      scrub: ({ id }) => driver.scrub(id),
    },
    webhooks: { due: (now, limit) => dueWebhooks(read, now, limit), backlog: () => webhookBacklog(read) },
    indexFor: ({ id }) => indexOf(driver, sums, id),
    embedding: new SqlEmbeddingProgress({ read, spaces, signals, work }),
    spaceOf: (id) => spaces.find(read, id),
    close: async () => {
      spaces.close();
      await driver.close();
    },
  };
}

const accountsOf = (driver: SqlDriver, signals: CommitSignals) => ({
  keys: new SqlKeyStore({ ...driver, wake: (userId) => signals.wake(userId) }),
  oauth: new SqlOAuthStore(driver),
});

/** Name, size and load of a store. */
const stateOf = (driver: SqlDriver) => ({
  name: driver.name,
  isReadOnly: driver.isReadOnly,
  replayLag: () => driver.replayLag(),
  queueDepth: () => driver.queueDepth(),
  ping: () => driver.ping(),
  sizeBytes: () => driver.sizeBytes(),
});

function indexOf(driver: SqlDriver, sums: VectorSums, userId: number) {
  const toVectorRows = vectorRowsOf((docs) => sums.damaged(userId, docs));
  const rows = new SqlIndexRows(new UserDatabase(driver.read, userId), toVectorRows);
  return Object.assign(rows, driver.indexOf(userId));
}

async function beginSteps(driver: SqlDriver, steps: SqlEngineDeps['steps']): Promise<void> {
  if (steps.length === 0) return;
  try {
    await driver.write((db) => beginBackfills(db, steps));
  } catch (error) {
    // The store is not opened; the caller gets the error.
    await driver.close();
    throw error;
  }
}

/** Users with entries deleted at or before `deletedUntil`, or whose erasing was begun. */
async function usersWithDueTrash(
  { read, isDistributed }: Pick<SqlDriver, 'read' | 'isDistributed'>,
  deletedUntil: number,
  limit: number,
): Promise<UserRef[]> {
  const condition = sql`(deleted_at <= ${deletedUntil} OR erased_at IS NOT NULL)`;
  const ids = await usersWith(read, { table: 'trash_entries', condition, after: 0, limit, isDistributed });
  if (ids.length === 0) return [];
  const users = read.selectFrom('users').select(['id', 'public_id as publicId', 'name']);
  return users.where('id', 'in', ids).orderBy('id').execute();
}

/** Webhooks of any user for which something is to be done. */
async function dueWebhooks(db: Kysely<Database>, now: number, limit: number): Promise<DueWebhook[]> {
  const rows = await db
    .selectFrom('webhooks')
    .innerJoin('users', 'users.id', 'webhooks.user_id')
    .innerJoin('user_counters', 'user_counters.user_id', 'webhooks.user_id')
    .select(['webhooks.id as id', 'users.id as userId', 'users.public_id as publicId', 'users.name as name'])
    .where('webhooks.leased_until', '<=', now)
    .where((row) =>
      row.or([
        row('webhooks.due_at', '<=', now),
        row.and([
          row('webhooks.due_at', 'is', null),
          row('user_counters.rev', '>', sql.ref<number>('webhooks.rev')),
        ]),
      ]),
    )
    // Of users who are half-loaded, or about to be erased, nothing is sent.
    .where(isActiveUser)
    .orderBy('webhooks.due_at')
    .orderBy('webhooks.id')
    .limit(limit)
    .execute();
  return rows.map(({ id, userId, publicId, name }) => ({ id, user: { id: userId, publicId, name } }));
}

async function webhookBacklog(db: Kysely<Database>): Promise<WebhookBacklog> {
  const rows = await db
    .selectFrom('webhook_deliveries')
    .select(backlogColumns)
    // Each in its own terms, for an index of a part of the rows.
    .where('webhook_deliveries.state', '<>', 'delivered')
    .where('webhook_deliveries.state', 'in', backlogStates)
    .groupBy('webhook_deliveries.state')
    .execute();
  return toBacklog(rows);
}
