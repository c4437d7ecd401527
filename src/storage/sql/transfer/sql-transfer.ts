import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { inPart } from '../../../domain/shared/errors.ts';
import type { UserReaders } from '../../../domain/shared/stores.ts';
import { HOUR_MS } from '../../../domain/shared/time.ts';
import type { User, UserStore } from '../../../domain/users/user.ts';
import type {
  LoadOptions,
  ReadOptions,
  RecordCheck,
  Transfer,
  TransferRecord,
  UserHead,
} from '../../transfer.ts';
import { UserDatabase } from '../core/user-database.ts';
import type { SqlDriver, UpkeepDeps } from '../sql-driver.ts';
import { storesOf } from '../stores.ts';
import { activateAll, activateOne, assertNoRecords, type KeyRow, type LoadedUser } from './activate-users.ts';
import { isActiveName, isReplaced, loadingName, replacedName } from './load-names.ts';
import { readUsers, usersNamed } from './read-users.ts';
import { ShapeCheck } from './record-check.ts';
import { readShape, readShapes } from './table-shapes.ts';
import { type LoaderDeps, UserLoader } from './user-loader.ts';

/** Maximum duration of a load: an older one was abandoned by its process. */
const loadingMsMax = 24 * HOUR_MS;

const replacedRemain = inPart('Everything is loaded, but not all that it replaced is erased yet');

interface TransferDeps extends SqlDriver, Pick<UpkeepDeps, 'indexer' | 'spaces' | 'steps'> {
  readonly users: UserStore;
}

/** Copies whole users from store to store, the same on both engines. */
export class SqlTransfer implements Transfer {
  readonly #deps: TransferDeps;

  constructor(deps: TransferDeps) {
    this.#deps = deps;
  }

  async schema(): Promise<number> {
    const { rows } = await sql<{ id: number }>`SELECT max(id) AS id FROM schema_migrations`.execute(
      this.#deps.read,
    );
    return rows[0].id;
  }

  read(options: ReadOptions, take: (record: TransferRecord) => Promise<void>): Promise<void> {
    const { readColumns, snapshot } = this.#deps;
    return snapshot(({ db }) => readUsers({ ...options, db, readColumns }, take));
  }

  readRecords<T>(userName: string, body: (readers: UserReaders) => Promise<T>): Promise<T> {
    const { snapshot, indexer } = this.#deps;
    const transaction = () => Promise.reject(new Error('A snapshot of the store is read only.'));
    return snapshot(async ({ db }) => {
      const [{ id }] = await usersNamed(db, userName);
      return body(storesOf(new UserDatabase(db, id), { indexer, transaction }));
    });
  }

  async newCheck({ withKeys }: { readonly withKeys: boolean }): Promise<RecordCheck> {
    const { read, readColumns } = this.#deps;
    const shapes = await readShapes(read, readColumns);
    if (withKeys) shapes.push(await readShape(read, 'api_keys', readColumns));
    return new ShapeCheck(shapes);
  }

  async assertEmpty(userName: string): Promise<void> {
    const user = await this.#deps.users.findByName(userName);
    if (user) await assertNoRecords(this.#deps.read, user);
  }

  async load(records: AsyncIterable<TransferRecord>, options: LoadOptions): Promise<void> {
    const { as } = options;
    const left = (name: string) =>
      isReplaced(name) || (as === undefined ? !isActiveName(name) : name === loadingName(as));
    await this.#eraseUsers((user) => left(user.name));
    const deps = { ...this.#deps, shapes: await readShapes(this.#deps.read, this.#deps.readColumns) };
    const load = new UsersLoad(deps, options);
    try {
      for await (const record of records) await load.add(record);
      const loaded = await load.end();
      await this.#deps.write((db) =>
        as === undefined ? activateAll(db, loaded) : activateOne(db, loaded[0], as),
      );
    } catch (error) {
      // The error of the load explains more than a second one here, as on a disk that is still full.
      // `eraseLeft` retries.
      await this.#eraseUsers(({ id, name }) => load.ids.includes(id) && !isActiveName(name)).catch(
        () => undefined,
      );
      throw error;
    }
    await this.#eraseUsers(({ name }) => isReplaced(name)).catch(replacedRemain);
  }

  eraseLeft(now: number, signal?: AbortSignal): Promise<void> {
    const isLeft = ({ name, createdAt }: User) =>
      isReplaced(name) || (!isActiveName(name) && createdAt < now - loadingMsMax);
    return this.#eraseUsers(isLeft, signal);
  }

  /** Renames these users, so that a process that is still loading them fails, and erases them. */
  async #eraseUsers(among: (user: User) => boolean, signal?: AbortSignal): Promise<void> {
    const { users, write } = this.#deps;
    for (const user of (await users.listInactive()).filter(among)) {
      if (signal?.aborted) return;
      await write(async (db) => {
        const name = replacedName(user.id);
        await db.updateTable('users').set({ name }).where('id', '=', user.id).execute();
      });
      await users.erase(user, signal);
    }
  }
}

interface UsersLoadDeps extends LoaderDeps {
  readonly users: UserStore;
}

interface Open extends LoadedUser {
  readonly loader: UserLoader;
  readonly keys: KeyRow[];
}

/** Loads the users of a file one after the other, under names that no user can have. */
class UsersLoad {
  readonly #deps: UsersLoadDeps;
  readonly #options: LoadOptions;
  readonly #users: Open[] = [];
  /** Ids of all users made here. */
  readonly ids: number[] = [];

  constructor(deps: UsersLoadDeps, options: LoadOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  async add(record: TransferRecord): Promise<void> {
    if ('user' in record) return this.#begin(record.user);
    const user = this.#users.at(-1);
    if (!user) throw new Error('A row came before its user.');
    if (record.table === 'api_keys') user.keys.push(record.row);
    else await user.loader.add(record);
  }

  async end(): Promise<readonly LoadedUser[]> {
    await this.#users.at(-1)?.loader.flush();
    return this.#users;
  }

  async #begin(head: UserHead): Promise<void> {
    await this.#users.at(-1)?.loader.flush();
    const { as, at } = this.#options;
    const name = loadingName(as ?? head.name);
    const { id } = await this.#deps.users.insert({ publicId: randomUUID(), name, email: head.email, at });
    this.ids.push(id);
    const loader = await UserLoader.begin(this.#deps, { id, name }, head);
    this.#users.push({ userId: id, loadingName: name, head, keys: [], loader });
  }
}
