/** State of the parser: a partial dependency tree over words 1 to `count`; 0 is the root. */
export class TransitionState {
  readonly count: number;
  /** Words that may still get dependents; the root is at the bottom. */
  readonly stack: number[] = [0];
  /** The next word to read. */
  next = 1;
  /** Head of each word and number of its relation; -1 while unknown. */
  readonly heads: Int32Array;
  readonly relations: Int32Array;
  /** Outermost dependent of each word on either side, -1 if none, and their number. */
  readonly leftmost: Int32Array;
  readonly rightmost: Int32Array;
  readonly leftCount: Int32Array;
  readonly rightCount: Int32Array;

  constructor(count: number) {
    this.count = count;
    this.heads = new Int32Array(count + 1).fill(-1);
    this.relations = new Int32Array(count + 1).fill(-1);
    this.leftmost = new Int32Array(count + 2).fill(-1);
    this.rightmost = new Int32Array(count + 2).fill(-1);
    this.leftCount = new Int32Array(count + 2);
    this.rightCount = new Int32Array(count + 2);
  }

  get top(): number {
    return this.stack.at(-1) ?? -1;
  }

  get isDone(): boolean {
    return this.next > this.count;
  }

  get canReduce(): boolean {
    return this.top > 0 && this.heads[this.top] >= 0;
  }

  get canGoLeft(): boolean {
    return this.top > 0 && this.heads[this.top] < 0;
  }

  shift(): void {
    this.stack.push(this.next++);
  }

  reduce(): void {
    this.stack.pop();
  }

  /** Makes the next word the head of the top word. */
  arcLeft(relation: number): void {
    const dependent = this.top;
    this.stack.pop();
    this.#link(this.next, dependent, relation);
  }

  /** Makes the top word the head of the next word, and pushes the next word. */
  arcRight(relation: number): void {
    this.#link(this.top, this.next, relation);
    this.shift();
  }

  #link(head: number, dependent: number, relation: number): void {
    this.heads[dependent] = head;
    this.relations[dependent] = relation;
    if (dependent < head) {
      if (this.leftmost[head] < 0 || dependent < this.leftmost[head]) this.leftmost[head] = dependent;
      this.leftCount[head]++;
    } else {
      if (dependent > this.rightmost[head]) this.rightmost[head] = dependent;
      this.rightCount[head]++;
    }
  }
}
