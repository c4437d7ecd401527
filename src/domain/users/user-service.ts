import { randomUUID } from 'node:crypto';
import { WakeSignal } from '../../lib/async.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError, invalidInput, removalUnfinished } from '../shared/errors.ts';
import type { Page, PageRequest } from '../shared/page.ts';
import {
  defaultEmail,
  type UnfinishedWork,
  type User,
  type UserStore,
  userNamePattern,
  userNameRule,
} from './user.ts';

/** @throws 422 for an invalid name */
export function assertUserName(name: string): void {
  if (userNamePattern.test(name)) return;
  throw invalidInput('name', userNameRule);
}

const isNameConflict = (error: unknown) => error instanceof AppError && error.code === 'USER_NAME_CONFLICT';

/** Management of users by the operator: by the command line, or over HTTP. */
export class UserService {
  readonly #store: UserStore;
  readonly #clock: Clock;
  readonly #forget: (user: User) => void;
  readonly #retired = new WakeSignal();

  /** @param forget drops the process's caches of a user */
  constructor(store: UserStore, clock: Clock, forget: (user: User) => void = () => undefined) {
    this.#store = store;
    this.#clock = clock;
    this.#forget = forget;
  }

  find(id: number): Promise<User | undefined> {
    return this.#store.find(id);
  }

  list(): Promise<User[]> {
    return this.#store.list();
  }

  listUnfinished(work: UnfinishedWork): Promise<User[]> {
    return this.#store.listUnfinished(work);
  }

  page(request: PageRequest): Promise<Page<User>> {
    return this.#store.page(request);
  }

  /** @throws 404 */
  async get(name: string): Promise<User> {
    const user = await this.#store.findByName(name);
    if (!user) throw new AppError('USER_NOT_FOUND', `There is no user named ${name}.`);
    return user;
  }

  /** @throws 409 if the name is taken, 422 for an invalid name */
  async add(name: string, email = defaultEmail(name)): Promise<User> {
    assertUserName(name);
    try {
      return await this.#store.insert({ publicId: randomUUID(), name, email, at: this.#clock.now() });
    } catch (error) {
      if (isNameConflict(error) && (await this.#findInactive(name))) throw removalUnfinished(name);
      throw error;
    }
  }

  /** The user of this name; creates it if missing. */
  async ensure(name: string): Promise<User> {
    return (await this.findOrAdd(name)).user;
  }

  /** The user of this name, and whether it was created by this call. */
  async findOrAdd(name: string, email?: string): Promise<{ readonly user: User; readonly isNew: boolean }> {
    const user = await this.#store.findByName(name);
    if (user) return { user, isNew: false };
    try {
      return { user: await this.add(name, email), isNew: true };
    } catch (error) {
      // Another process created it at the same time.
      const other = isNameConflict(error) ? await this.#store.findByName(name) : undefined;
      if (!other) throw error;
      return { user: other, isNew: false };
    }
  }

  /** Deactivates the user at once; a periodic job erases their data. @throws 404 */
  async retire(name: string): Promise<void> {
    const user = await this.get(name);
    await this.#store.retire(user);
    this.#forget(user);
    this.#retired.set();
  }

  /** Resolves when a user is retired, after `ms`, or when `signal` aborts. */
  nextRetired(ms: number, signal: AbortSignal): Promise<void> {
    return this.#retired.next(ms, signal);
  }

  /** Erases the user and all of their data; finishes an interrupted removal. @throws 404 */
  async remove(name: string): Promise<void> {
    await this.#store.erase((await this.#findInactive(name)) ?? (await this.get(name)));
  }

  /** Names of users whose removal is unfinished. */
  async listUnfinishedRemovals(): Promise<string[]> {
    const inactive = await this.#store.listInactive();
    return inactive.map(({ name }) => name).filter((name) => userNamePattern.test(name));
  }

  async #findInactive(name: string): Promise<User | undefined> {
    return (await this.#store.listInactive()).find((user) => user.name === name);
  }
}
