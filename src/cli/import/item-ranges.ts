import { addDigests } from './digest.ts';

/** First and last number of a run of items, and the sum of their digests. */
export type ItemRange = readonly [first: number, last: number, digest: number];

/** A set of item numbers that takes as little room as it has gaps. */
export class ItemRanges {
  /** Ascending, never adjacent. */
  private readonly ranges: ItemRange[];

  constructor(ranges: readonly ItemRange[] = []) {
    this.ranges = [...ranges];
  }

  has(number: number): boolean {
    const range = this.ranges[this.indexBefore(number)];
    return range !== undefined && number <= range[1];
  }

  /** A number that is not yet in the set. */
  add(number: number, digest: number): void {
    const at = this.indexBefore(number);
    const before = this.ranges[at];
    const after = this.ranges[at + 1];
    const joinsBefore = before !== undefined && before[1] === number - 1;
    const joinsAfter = after !== undefined && after[0] === number + 1;
    let sum = digest;
    if (joinsBefore) sum = addDigests(sum, before[2]);
    if (joinsAfter) sum = addDigests(sum, after[2]);
    const joined: ItemRange = [joinsBefore ? before[0] : number, joinsAfter ? after[1] : number, sum];
    const from = joinsBefore ? at : at + 1;
    this.ranges.splice(from, Number(joinsBefore) + Number(joinsAfter), joined);
  }

  toArray(): readonly ItemRange[] {
    return this.ranges;
  }

  /** Index of the last range that begins at or before `number`, or -1. */
  private indexBefore(number: number): number {
    let low = 0;
    let high = this.ranges.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const range = this.ranges[middle];
      if (range !== undefined && range[0] <= number) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}
