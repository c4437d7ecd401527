import type { Page, PageRequest } from '../shared/page.ts';
import type { EpochMs } from '../shared/time.ts';
import type { UserRef } from '../shared/user-ref.ts';

export interface User extends UserRef {
  readonly email: string;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
}

/** Names are for the operator, and nobody else sees them: 1 to 64 letters, digits, dots, dashes, underscores or @. */
export const userNamePattern = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/;
export const userNameRule =
  'must be 1 to 64 letters, digits, dots, dashes, underscores or @, starting with a letter or digit';

/** The address shown for a user who gave none; `.invalid` never resolves (RFC 2606). */
export function defaultEmail(name: string): string {
  return `${name.replaceAll('@', '.')}@memoryd.invalid`;
}

export interface NewUser {
  readonly publicId: string;
  readonly name: string;
  readonly email: string;
  readonly at: number;
}

/** Over all active users. */
export interface StoreTotals {
  readonly users: number;
  /** Not in the trash; those of a large conversation count until its deletion has gone through all of them. */
  readonly memories: number;
}

export interface UserStore {
  /** An active user: none who is being imported, was replaced by an import, or is being removed. */
  find(id: number): Promise<User | undefined>;
  /** An active user. */
  findByName(name: string): Promise<User | undefined>;
  /** Active users, in order of name. */
  list(): Promise<User[]>;
  /** A part of the same list. */
  page(request: PageRequest): Promise<Page<User>>;
  /** Active users with memories: those whose keys were used last come first, then those with most memories. */
  listRecentlyActive(limit: number): Promise<User[]>;
  /** Users that nobody can use: half imported, replaced, or with a removal that did not finish; in order of name. */
  listInactive(): Promise<User[]>;
  /** Reads one row a user, however many memories there are. */
  totals(): Promise<StoreTotals>;
  /** @throws 409 where the name is taken */
  insert(user: NewUser): Promise<User>;
  /**
   * Makes the user inactive and their name free, in one transaction; a service erases them later. Nothing of theirs can be
   * read or written from then on.
   */
  retire(user: User): Promise<void>;
  /**
   * Erases the user and everything of theirs, index rows included, in many short transactions. From the first one on the
   * user is inactive; where it fails later, or `signal` aborts, doing it again finishes it.
   */
  erase(user: User, signal?: AbortSignal): Promise<void>;
}
