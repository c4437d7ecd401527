import type { Clock } from '../../lib/clock.ts';
import { AppError } from './errors.ts';
import type { Stores, UserWriters } from './stores.ts';
import type { TextIndexer } from './text-indexer.ts';
import type { EpochMs } from './time.ts';
import type { Author, UserRef } from './user-ref.ts';

/** One change of a user's data: the stores of its transaction, and the time of everything it writes. */
export interface Write {
  readonly tx: UserWriters;
  readonly at: EpochMs;
  /** For texts that are read in the transaction; see `TextIndexer`. */
  readonly indexer: TextIndexer;
  /** Author of the versions with new content; absent in background work, which states none. */
  readonly by?: Author;
}

/**
 * Additions of a request with an `Idempotency-Key` to the transactions of its change. They
 * make the change happen once, whichever process gets the request and whenever one dies (ADR
 * 13). A change of one transaction calls `begin` first and `finish` last in it (`writeAs`
 * does). A change of several transactions calls `begin` and `note` in the first, and `finish`
 * in the last; if `begin` returns the note of an earlier try, the change continues from there.
 */
export interface KeyedAct<T> {
  /**
   * @returns the note of an earlier try that did not finish; undefined if there was none
   * @throws if the request was answered before: nothing is written, and the client gets that response
   */
  begin(write: Write): Promise<string | undefined>;
  /** Records that the change is running; `progress` is the data for continuing it. */
  note(write: Write, progress: string): Promise<void>;
  /** Stores the response. @throws as `begin` does, if another process was faster with the last transaction */
  finish(write: Write, done: T): Promise<void>;
}

/** Who writes a version; null in background work. @param importId the import whose record it has */
export function authorOf({ by }: Write, importId: string | undefined): Author | null {
  if (by === undefined) return null;
  // A hook imports its session, and has a door of its own.
  return importId === undefined || by.via === 'hook' ? by : { ...by, via: 'import' };
}

export interface WriteDeps {
  readonly stores: Stores;
  readonly clock: Clock;
}

/** Makes a change of a user in one transaction; with `act`, at most once for its `Idempotency-Key`. */
export function writeAs<T>(
  { stores, clock }: WriteDeps,
  user: UserRef,
  body: (write: Write) => Promise<T>,
  act?: KeyedAct<T>,
): Promise<T> {
  const own = stores.forUser(user);
  return own.transaction(async (tx) => {
    const write = { tx, at: clock.now(), indexer: own.indexer, by: user.by };
    await act?.begin(write);
    const done = await body(write);
    await act?.finish(write, done);
    return done;
  });
}

/** Throws 412 if a change depends on the record being as the caller saw it, and the record has changed. */
export type Precondition<R> = (record: R) => void;

export const editConflict = () =>
  new AppError('EDIT_CONFLICT', 'If-Match names a version that is no longer the current one.');
