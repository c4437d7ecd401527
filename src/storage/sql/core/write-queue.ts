import { AppError } from '../../../domain/shared/errors.ts';
import { charge, endCharge, type Payer, payerNow } from '../../../lib/loop-time.ts';

/** An open transaction that several bodies share; `H` is the handle that they work with. */
export interface WriteGroup<H> {
  readonly handle: H;
  savepoint(): Promise<void>;
  release(): Promise<void>;
  /** Undoes the changes since the savepoint. @throws if the failure ended the whole transaction */
  undo(): Promise<void>;
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

interface Task<H> {
  readonly payer: Payer | undefined;
  readonly body: (handle: H) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

const groupMax = 64;
const queueMax = 10_000;

/**
 * Grouped commits: bodies queued during a commit share the next transaction and its fsync, each in a
 * savepoint of its own, so a failing body leaves the others untouched. Promises resolve only after
 * the commit. Measured on SQLite with 32 connections: 800 creates/s one by one, 6,800/s grouped.
 */
export class WriteQueue<H> {
  readonly #begin: () => Promise<WriteGroup<H>>;
  readonly #toStorageError: (error: unknown) => unknown;
  readonly #waiting: Task<H>[] = [];
  readonly #between: (() => void)[] = [];
  #draining: Promise<void> | undefined;
  #taken = 0;

  constructor(begin: () => Promise<WriteGroup<H>>, toStorageError: (error: unknown) => unknown) {
    this.#begin = begin;
    this.#toStorageError = toStorageError;
  }

  get depth(): number {
    return this.#waiting.length;
  }

  /** Number of bodies queued since the start, done or not. */
  get taken(): number {
    return this.#taken;
  }

  /** @throws 503 OVERLOADED if 10,000 bodies wait already */
  run<T>(body: (handle: H) => Promise<T>): Promise<T> {
    if (this.#waiting.length >= queueMax) {
      return Promise.reject(new AppError('OVERLOADED', 'Too many writes are waiting.', { retryAfter: 1 }));
    }
    this.#taken++;
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({
        payer: payerNow(),
        body,
        resolve: resolve as (value: unknown) => void,
        reject,
      });
      this.#draining ??= this.#drain();
    });
  }

  /** Runs `work` when no transaction is open. Rejects if `work` throws. */
  between<T>(work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#between.push(() => {
        try {
          resolve(work());
        } catch (error) {
          reject(this.#toStorageError(error));
        }
      });
      this.#draining ??= this.#drain();
    });
  }

  /** Resolves when all bodies queued so far are committed or failed. */
  async idle(): Promise<void> {
    while (this.#draining) await this.#draining;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0 || this.#between.length > 0) {
      // Bodies queued in the same turn of the event loop join the group.
      await new Promise<void>((resolve) => setImmediate(resolve));
      for (const work of this.#between.splice(0)) work();
      if (this.#waiting.length > 0) await this.#runGroup(this.#waiting.splice(0, groupMax));
    }
    this.#draining = undefined;
  }

  async #runGroup(tasks: readonly Task<H>[]): Promise<void> {
    let group: WriteGroup<H> | undefined;
    const outcomes: (() => void)[] = [];
    try {
      group = await this.#begin();
      for (const task of tasks) outcomes.push(await runBody(group, task, tasks.length > 1));
      endCharge();
      await group.commit();
    } catch (error) {
      // A failing rollback means a broken connection: the
      // database rolls back, and callers get the first failure.
      await group?.rollback().catch(() => undefined);
      const failure = this.#toStorageError(error);
      for (const task of tasks) task.reject(failure);
      return;
    }
    for (const report of outcomes) report();
  }
}

/**
 * @param isShared whether other bodies are in the transaction; a
 * single one needs no savepoint, since its failure undoes everything
 * @returns a function that reports the result to the body's caller, to be called after the commit
 * @throws the body's failure if it ended the whole transaction, as a full disk does
 */
async function runBody<H>(group: WriteGroup<H>, task: Task<H>, isShared: boolean): Promise<() => void> {
  endCharge();
  if (task.payer) charge(task.payer);
  if (isShared) await group.savepoint();
  try {
    const value = await task.body(group.handle);
    if (isShared) await group.release();
    return () => task.resolve(value);
  } catch (error) {
    if (!isShared) throw error;
    // The error of the body explains more than that of the undo.
    await group.undo().catch(() => {
      throw error;
    });
    return () => task.reject(error);
  }
}
