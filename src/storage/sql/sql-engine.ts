import { userGone } from '../../domain/shared/errors.ts';
import type { UserStores, UserWriters } from '../../domain/shared/stores.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import type { StorageEngine } from '../engine.ts';
import { UserDatabase } from './core/user-database.ts';
import { SqlUpkeep } from './maintenance/sql-upkeep.ts';
import { SqlIndexRows } from './search-index/index-rows.ts';
import type { SqlDriver, SqlEngineDeps } from './sql-driver.ts';
import { SqlTransfer } from './transfer/sql-transfer.ts';
import { usersWithDue } from './upkeep/users-with-due.ts';
import { userReaders, userWriters } from './user-stores.ts';
import { SqlIdempotencyStore } from './users/idempotency-store.ts';
import { SqlKeyStore } from './users/key-store.ts';
import { SqlUserStore } from './users/user-store.ts';
import { VectorUpkeep } from './vectors/vector-upkeep.ts';

/** A store over an open driver: the one place where its parts are put together, whatever the engine. */
export function createSqlEngine(driver: SqlDriver, deps: SqlEngineDeps): StorageEngine {
  const { indexer, spaces, failures } = deps;
  const { read } = driver;
  const vectors = new VectorUpkeep({ ...driver, ...deps });

  const forUser = (user: UserRef): UserStores => ({
    ...userReaders(read, user.id),
    transaction: <T>(body: (tx: UserWriters) => Promise<T>) =>
      vectors.after(
        driver.writeOf(user.id, (db, keywords, isActive) => {
          if (!isActive()) throw userGone();
          return body(userWriters({ db, userId: user.id, keywords, indexer, spaces }));
        }),
      ),
  });

  const upkeep = new SqlUpkeep({ ...driver, ...deps, stores: { forUser } }, vectors);
  const users = new SqlUserStore(driver);
  return {
    name: driver.name,
    vectorIndex: driver.vectorIndex,
    upkeep,
    maintenance: driver.maintenance,
    users,
    failures,
    forUser,
    transfer: new SqlTransfer({ ...driver, ...deps, users }),
    idempotency: new SqlIdempotencyStore(driver),
    keys: new SqlKeyStore(driver),
    trash: {
      usersWithDue: (until, limit) => usersWithDue(read, until, limit),
      scrub: () => driver.scrub(),
    },
    indexFor: ({ id }) => Object.assign(new SqlIndexRows(new UserDatabase(read, id)), driver.indexOf(id)),
    ...vectors.ports,
    queueDepth: () => driver.queueDepth(),
    ping: () => driver.ping(),
    sizeBytes: () => driver.sizeBytes(),
    close: async () => {
      await upkeep.stop();
      await driver.close();
    },
  };
}
