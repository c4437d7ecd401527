import { Breather } from './loop-time.ts';

/** The items in order, in arrays of at most `size`. */
export function* chunksOf<T>(items: readonly T[], size = 500): Generator<readonly T[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}

/** `items` by key, in order of first occurrence. */
export function groupBy<K, T>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** Items that `sortInTurns` sorts at once: some milliseconds. */
const runLength = 2000;

/** The items in a stable order; other work goes between, so that a list of 100,000 delays no request. */
export async function sortInTurns<T>(
  items: readonly T[],
  compare: (a: T, b: T) => number,
): Promise<readonly T[]> {
  const breather = new Breather();
  let runs: T[][] = [];
  for (let from = 0; from < items.length; from += runLength) {
    runs.push(items.slice(from, from + runLength).sort(compare));
    await breather.pause();
  }
  const merged = async (a: readonly T[], b: readonly T[]) => {
    const all: T[] = [];
    for (let [i, j] = [0, 0]; i < a.length || j < b.length; ) {
      const isFirst = j >= b.length || (i < a.length && compare(a[i], b[j]) <= 0);
      all.push(isFirst ? a[i++] : b[j++]);
      if (all.length % runLength === 0) await breather.pause();
    }
    return all;
  };
  while (runs.length > 1) {
    const longer: T[][] = [];
    for (let i = 0; i < runs.length; i += 2)
      longer.push(i + 1 < runs.length ? await merged(runs[i], runs[i + 1]) : runs[i]);
    runs = longer;
  }
  return runs[0] ?? [];
}

/** Share of common members: 0 to 1. */
export function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  let shared = 0;
  for (const member of small) if (large.has(member)) shared++;
  const all = a.size + b.size - shared;
  return all === 0 ? 0 : shared / all;
}

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

/**
 * A bounded map for values that are cheap to make again: two generations of at most `max` entries; the older
 * one is dropped when a new one begins, and an entry that is read moves to the younger one. A look-up takes
 * .7 of the time of lru-cache if all keys are found and .85 if a quarter is missing (`npm run bench
 * recent-map`). Values that are not looked up for every word of every text are in an LRUCache.
 */
export class RecentMap<K, V> {
  readonly #max: number;
  #young = new Map<K, V>();
  #old = new Map<K, V>();

  constructor(max: number) {
    this.#max = max;
  }

  get(key: K): V | undefined {
    const known = this.#young.get(key);
    if (known !== undefined) return known;
    const former = this.#old.get(key);
    if (former !== undefined) this.set(key, former);
    return former;
  }

  set(key: K, value: V): void {
    if (this.#young.size >= this.#max) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }
}
