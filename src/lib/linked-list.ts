/** A place in a `LinkedList`. */
export interface Link<T> {
  readonly value: T;
}

interface Node<T> extends Link<T> {
  previous: Node<T> | undefined;
  next: Node<T> | undefined;
  isIn: boolean;
}

/**
 * Values in the order in which they were added, for lists that are empty after most removals. V8 makes a Set or Map that
 * becomes empty a new table each time, and the old ones, each naming the next, keep each other alive until a full
 * collection: what requests leave behind was copied by every small one.
 */
export class LinkedList<T> {
  #first: Node<T> | undefined;
  #last: Node<T> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get first(): Link<T> | undefined {
    return this.#first;
  }

  /** Puts the value last; what is returned removes it. */
  add(value: T): Link<T> {
    const node: Node<T> = { value, previous: this.#last, next: undefined, isIn: true };
    if (this.#last) this.#last.next = node;
    else this.#first = node;
    this.#last = node;
    this.#size++;
    return node;
  }

  /** Does nothing where it was removed before. */
  remove(link: Link<T>): void {
    const node = link as Node<T>;
    if (!node.isIn) return;
    const { previous, next } = node;
    if (previous) previous.next = next;
    else this.#first = next;
    if (next) next.previous = previous;
    else this.#last = previous;
    node.previous = undefined;
    node.next = undefined;
    node.isIn = false;
    this.#size--;
  }

  /** The values now in the list, oldest first; the list must not change during the walk. */
  *[Symbol.iterator](): IterableIterator<T> {
    for (let node = this.#first; node; node = node.next) yield node.value;
  }
}
