import pLimit, { type LimitFunction } from 'p-limit';

interface GroupLimits {
  /** Tasks that run at once. */
  readonly running: number;
  /** Tasks added and not finished, including those that wait for their group. */
  readonly pending: number;
}

/** Runs tasks concurrently, but those of one group one after another, in the order of their arrival. */
export class InGroups {
  private readonly inTurn: LimitFunction;
  private readonly pendingMax: number;
  private readonly tails = new Map<string, Promise<void>>();
  private pending = 0;
  private onRoom: (() => void) | undefined;
  private failure: { readonly error: unknown } | undefined;

  constructor({ running, pending }: GroupLimits) {
    this.inTurn = pLimit(running);
    this.pendingMax = pending;
  }

  /**
   * Adds a task as soon as there is room. @throws the error of a failed task; waiting tasks then never begin
   */
  async add(group: string | undefined, task: () => Promise<void>): Promise<void> {
    while (this.pending >= this.pendingMax && !this.failure) await this.room();
    if (this.failure) throw this.failure.error;
    this.pending++;
    if (group === undefined) void this.run(task);
    else this.append(group, task);
  }

  /** Resolves when no task runs any more. @throws the error of a failed task */
  async finish(): Promise<void> {
    while (this.pending > 0) await this.room();
    if (this.failure) throw this.failure.error;
  }

  private append(group: string, task: () => Promise<void>): void {
    const tail = (this.tails.get(group) ?? Promise.resolve()).then(() => this.run(task));
    this.tails.set(group, tail);
    void tail.then(() => this.tails.get(group) === tail && this.tails.delete(group));
  }

  /** Never rejects. */
  private async run(task: () => Promise<void>): Promise<void> {
    try {
      await this.inTurn(async () => {
        if (!this.failure) await task();
      });
    } catch (error) {
      this.failure ??= { error };
    }
    this.pending--;
    this.onRoom?.();
  }

  private room(): Promise<void> {
    return new Promise((resolve) => {
      this.onRoom = resolve;
    });
  }
}
