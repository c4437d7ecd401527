import { randomUUID } from 'node:crypto';
import type { UserStore } from '../../../domain/users/user-store.ts';
import type { LoadOptions, TransferRecord, UserHead } from '../../transfer.ts';
import type { KeyRow, LoadedUser } from './activate-users.ts';
import { loadingName } from './load-names.ts';
import { type LoaderDeps, UserLoader } from './user-loader.ts';

export interface UsersLoadDeps extends LoaderDeps {
  readonly users: UserStore;
}

interface Open extends LoadedUser {
  readonly loader: UserLoader;
  readonly keys: KeyRow[];
}

/** Loads the users of a file one after the other, under names that no user can have. */
export class UsersLoad {
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
