/** A dependency tree in the making: words are 1 to `count`, 0 is the root. */
export class TransitionState {
  readonly count: number;
  /** The words whose dependents are still sought, the root at the bottom. */
  readonly stack: number[] = [0];
  /** The next word to read. */
  next = 1;
  /** Of each word: its head and the number of its relation, -1 while unknown. */
  readonly heads: Int32Array;
  readonly relations: Int32Array;
  /** Of each word: outermost dependent on either side, -1 where there is none, and how many there are. */
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

  /** The next word becomes the head of the top word. */
  arcLeft(relation: number): void {
    const dependent = this.top;
    this.stack.pop();
    this.#link(this.next, dependent, relation);
  }

  /** The top word becomes the head of the next word, which goes on top. */
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
