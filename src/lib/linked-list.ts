/** An entry of a `LinkedList`. */
export interface Link<T> {
  readonly value: T;
}

interface Node<T> extends Link<T> {
  previous: Node<T> | undefined;
  next: Node<T> | undefined;
  isIn: boolean;
}

/**
 * Values in the order of their addition, for lists that are often empty. A Set or Map that
 * becomes empty gets a new table from V8 each time; the old tables refer to one another, stay
 * alive until a full garbage collection, and were copied by every minor one.
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

  /** Adds the value at the end. @returns its entry, for `remove` */
  add(value: T): Link<T> {
    const node: Node<T> = { value, previous: this.#last, next: undefined, isIn: true };
    if (this.#last) this.#last.next = node;
    else this.#first = node;
    this.#last = node;
    this.#size++;
    return node;
  }

  /** May be called again for a removed entry. */
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

  /** Values, oldest first; the list must not change during the iteration. */
  *[Symbol.iterator](): IterableIterator<T> {
    for (let node = this.#first; node; node = node.next) yield node.value;
  }
}
