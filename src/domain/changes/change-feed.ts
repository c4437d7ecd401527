import { AppError } from '../shared/errors.ts';
import type { Stores } from '../shared/stores.ts';
import type { UserRef } from '../shared/user-ref.ts';
import { type Change, type ChangePosition, changesKept } from './change.ts';

/** Wakes waits for the next change of a user. It may wake in vain, and a wake may be lost. */
export interface ChangeSignals {
  /** Calls `wake` after commits of the user, of any process. @returns ends the calls */
  subscribe(userId: number, wake: () => void): () => void;
}

export interface ChangePage {
  readonly changes: readonly Change[];
  /** After the last of them; the position asked for if there are none. */
  readonly next: ChangePosition;
  readonly hasMore: boolean;
}

/** After all parts of a revision. */
const lastPart = 1_000_000_000;
/** Revisions that may be written between the look at the first kept one and the read of the changes. */
const writtenMeanwhile = 1000;

interface ChangeFeedDeps {
  readonly stores: Stores;
  readonly signals: ChangeSignals;
}

/** Changed records of a user, in the order of the commits. The list is the truth; signals only wake its readers. */
export class ChangeFeed {
  readonly #stores: Stores;
  readonly #signals: ChangeSignals;

  constructor({ stores, signals }: ChangeFeedDeps) {
    this.#stores = stores;
    this.#signals = signals;
  }

  subscribe(user: UserRef, wake: () => void): () => void {
    return this.#signals.subscribe(user.id, wake);
  }

  /** The end of the list: only later changes come after it. */
  async end(user: UserRef): Promise<ChangePosition> {
    return { rev: await this.#stores.forUser(user).changes.head(), part: lastPart };
  }

  /** Position of the oldest kept change. */
  async begin(user: UserRef): Promise<ChangePosition> {
    const head = await this.#stores.forUser(user).changes.head();
    return { rev: Math.max(0, head - changesKept + writtenMeanwhile), part: lastPart };
  }

  /** @throws 410 if changes after the position are no longer kept, or the store never had it */
  async read(user: UserRef, after: ChangePosition, limit: number): Promise<ChangePage> {
    const { changes: reader } = this.#stores.forUser(user);
    const found = await reader.after(after, limit + 1);
    // Read last: it shows removals that came before the rows were read.
    const head = await reader.head();
    if (after.rev < head - changesKept || after.rev > head) throw changesExpired();
    const changes = found.slice(0, limit);
    const last = changes.at(-1);
    const next = last ? { rev: last.rev, part: last.part } : after;
    return { changes, next, hasMore: found.length > limit };
  }
}

const changesExpired = () =>
  new AppError(
    'CHANGES_EXPIRED',
    'Changes after this cursor are no longer kept. Read the records again, and follow from `since=now`.',
  );
