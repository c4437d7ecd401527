import type { User } from './user.ts';

export interface NewUser {
  readonly publicId: string;
  readonly name: string;
  readonly email: string;
  readonly at: number;
}

export interface UserStore {
  find(id: number): Promise<User | undefined>;
  findByName(name: string): Promise<User | undefined>;
  /** In order of name. */
  list(): Promise<User[]>;
  /** @throws 409 where the name is taken */
  insert(user: NewUser): Promise<User>;
  /** Erases the user and everything of theirs, index rows included. */
  erase(user: User): Promise<void>;
  count(): Promise<number>;
}
