import type { Page, PageRequest } from '../shared/page.ts';
import type { EpochMs } from '../shared/time.ts';
import type { UserRef } from '../shared/user-ref.ts';

export interface User extends UserRef {
  readonly email: string;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
}

/** User names are visible to the operator only: 1 to 64 letters, digits, dots, dashes, underscores or @. */
export const userNamePattern = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/;
export const userNameRule =
  'must be 1 to 64 letters, digits, dots, dashes, underscores or @, starting with a letter or digit';

/** Default email address; `.invalid` never resolves (RFC 2606). */
export function defaultEmail(name: string): string {
  return `${name.replaceAll('@', '.')}@memoryd.invalid`;
}

export interface NewUser {
  readonly publicId: string;
  readonly name: string;
  readonly email: string;
  readonly at: number;
}

/** Totals over all active users. */
export interface StoreTotals {
  readonly users: number;
  /**
   * Memories outside of the trash; those of a large conversation
   * count until its deletion has marked all of them.
   */
  readonly memories: number;
}

export type UnfinishedWork = 'topic_merge' | 'conversation_move';

export interface UserStore {
  /** An active user: not being imported or removed, and not replaced by an import. */
  find(id: number): Promise<User | undefined>;
  /** An active user. */
  findByName(name: string): Promise<User | undefined>;
  /** Active users, in order of name. */
  list(): Promise<User[]>;
  /** A page of `list`. */
  page(request: PageRequest): Promise<Page<User>>;
  /** Active users with memories: those whose keys were used last first, then those with most memories. */
  listRecentlyActive(limit: number): Promise<User[]>;
  /** Inactive users: half imported, replaced, or with an unfinished removal; in order of name. */
  listInactive(): Promise<User[]>;
  /** Active users with a merge of topics, or a move of a conversation, that is not complete. */
  listUnfinished(work: UnfinishedWork): Promise<User[]>;
  /** Reads one row for each user, however many memories there are. */
  totals(): Promise<StoreTotals>;
  /** @throws 409 if the name is taken */
  insert(user: NewUser): Promise<User>;
  /**
   * Makes the user inactive and their name free, in one transaction; a service
   * erases their data later. From then on none of it can be read or written.
   */
  retire(user: User): Promise<void>;
  /**
   * Erases the user and all of their data, including index rows, in many short transactions. The first one
   * makes the user inactive; if a later one fails or `signal` aborts, another call finishes the removal.
   */
  erase(user: User, signal?: AbortSignal): Promise<void>;
}
