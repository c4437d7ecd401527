export interface GroupLimits {
  /** Tasks that run at once. */
  readonly running: number;
  /** Tasks taken on and not done, those that wait for their group included. */
  readonly pending: number;
}

/** Runs tasks at once, but those of one group one after another, in the order in which they came. */
export class InGroups {
  private readonly limits: GroupLimits;
  private readonly tails = new Map<string, Promise<void>>();
  private readonly waiting: (() => void)[] = [];
  private free: number;
  private pending = 0;
  private onRoom: (() => void) | undefined;
  private failure: { readonly error: unknown } | undefined;

  constructor(limits: GroupLimits) {
    this.limits = limits;
    this.free = limits.running;
  }

  /** Takes a task on, once there is room. @throws what a task has thrown; tasks not begun then never are */
  async add(group: string | undefined, task: () => Promise<void>): Promise<void> {
    while (this.pending >= this.limits.pending && !this.failure) await this.room();
    if (this.failure) throw this.failure.error;
    this.pending++;
    if (group === undefined) void this.run(task);
    else this.append(group, task);
  }

  /** Returns when nothing runs any more. @throws what a task has thrown */
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
    if (this.free > 0) this.free--;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      if (!this.failure) await task();
    } catch (error) {
      this.failure ??= { error };
    }
    const next = this.waiting.shift();
    if (next) next();
    else this.free++;
    this.pending--;
    this.onRoom?.();
  }

  private room(): Promise<void> {
    return new Promise((resolve) => {
      this.onRoom = resolve;
    });
  }
}
