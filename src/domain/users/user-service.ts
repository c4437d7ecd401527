import { randomUUID } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import { AppError, invalidInput, removalUnfinished } from '../shared/errors.ts';
import { defaultEmail, type User, userNamePattern } from './user.ts';
import type { UserStore } from './user-store.ts';

/** @throws 422 for a name of another form */
export function assertUserName(name: string): void {
  if (userNamePattern.test(name)) return;
  throw invalidInput(
    'name',
    'must be 1 to 64 letters, digits, dots, dashes, underscores or @, starting with a letter or digit',
  );
}

/** Users, as the operator's command line manages them. */
export class UserService {
  readonly #store: UserStore;
  readonly #clock: Clock;

  constructor(store: UserStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  list(): Promise<User[]> {
    return this.#store.list();
  }

  /** @throws 404 */
  async get(name: string): Promise<User> {
    const user = await this.#store.findByName(name);
    if (!user) throw new AppError('USER_NOT_FOUND', `There is no user named ${name}.`);
    return user;
  }

  /** @throws 409 where the name is taken, 422 for a name of another form */
  async add(name: string, email = defaultEmail(name)): Promise<User> {
    assertUserName(name);
    if (await this.#findInactive(name)) throw removalUnfinished(name);
    return this.#store.insert({ publicId: randomUUID(), name, email, at: this.#clock.now() });
  }

  /** The user of this name, made where there is none. */
  async ensure(name: string): Promise<User> {
    return (await this.findOrAdd(name)).user;
  }

  /** The user of this name, and whether it was created by this call. */
  async findOrAdd(name: string): Promise<{ readonly user: User; readonly isNew: boolean }> {
    const user = await this.#store.findByName(name);
    return user ? { user, isNew: false } : { user: await this.add(name), isNew: true };
  }

  /** Erases the user and everything of theirs; finishes a removal that was interrupted. @throws 404 */
  async remove(name: string): Promise<void> {
    await this.#store.erase((await this.#findInactive(name)) ?? (await this.get(name)));
  }

  /** Names of users whose removal did not finish. */
  async listUnfinishedRemovals(): Promise<string[]> {
    const inactive = await this.#store.listInactive();
    return inactive.map(({ name }) => name).filter((name) => userNamePattern.test(name));
  }

  async #findInactive(name: string): Promise<User | undefined> {
    return (await this.#store.listInactive()).find((user) => user.name === name);
  }
}
