import { otherWork } from '../../lib/loop-time.ts';
import type { Page } from './page.ts';

/** A response with records ends before the record with which its JSON would be longer, in bytes of UTF-8. */
export const pageBytesMax = 8 * 1024 * 1024;
/** Maximum bytes of a record in a response beyond its own JSON: times as text, previews, explanations. */
const extraBytesMax = 2048;
const firstPiece = 25;
/** Bytes of records read at once: work of some 10 ms, after which other requests run. */
const pieceBytesMax = 1024 * 1024;

/** Bytes of an item as JSON at most, found without making it; undefined if that is not known. */
export type BytesBound<T> = (item: T) => number;

/** Takes records into a page until it is full; the first always fits. */
export class PageBytes<T> {
  readonly #max: number;
  readonly #boundOf: BytesBound<T> | undefined;
  readonly #taken: T[] = [];
  #bound = 0;
  /** Exact bytes, computed once the sum of the bounds exceeds a page. */
  #bytes: number | undefined;
  #isFull = false;

  constructor(boundOf?: BytesBound<T>, max = pageBytesMax) {
    this.#boundOf = boundOf;
    this.#max = max;
  }

  get isFull(): boolean {
    return this.#isFull;
  }

  get items(): readonly T[] {
    return this.#taken;
  }

  /** Items, as large as those taken so far, to be read at once. */
  get piece(): number {
    const used = this.#bytes ?? this.#bound;
    return Math.max(1, Math.floor((pieceBytesMax * this.#taken.length) / Math.max(1, used)));
  }

  /** @returns false when it does not fit: the page is full */
  take(item: T): boolean {
    if (this.#isFull) return false;
    if (this.#bytes === undefined) {
      this.#bound += this.#boundOf ? this.#boundOf(item) + extraBytesMax : Number.POSITIVE_INFINITY;
      if (this.#bound > this.#max) this.#bytes = this.#taken.reduce((sum, each) => sum + bytesOf(each), 0);
    }
    if (this.#bytes !== undefined) {
      const bytes = this.#bytes + bytesOf(item);
      this.#isFull = bytes > this.#max && this.#taken.length > 0;
      if (this.#isFull) return false;
      this.#bytes = bytes;
    }
    this.#taken.push(item);
    return true;
  }
}

function bytesOf(item: unknown): number {
  return Buffer.byteLength(JSON.stringify(item)) + extraBytesMax;
}

export interface Filled<T> {
  readonly items: readonly T[];
  /** Keys that the items fill; less than were given if the page was full before. */
  readonly taken: number;
  readonly isFull: boolean;
}

/**
 * Reads the records of these keys in pieces until the page is full, and lets other work run
 * between pieces. The keys were read at once, so writes in between do not move a record.
 * @param read the records of some keys, in their order; undefined for a record erased since
 * @param readAtOnce number of keys in the first piece
 */
export async function fillPage<K, T>(
  keys: readonly K[],
  read: (keys: readonly K[]) => Promise<readonly (T | undefined)[]>,
  boundOf?: BytesBound<T>,
  readAtOnce = firstPiece,
): Promise<Filled<T>> {
  const page = new PageBytes<T>(boundOf);
  let taken = 0;
  for (let count = Math.min(keys.length, readAtOnce); count > 0; ) {
    for (const item of await read(keys.slice(taken, taken + count))) {
      if (item !== undefined && !page.take(item)) return { items: page.items, taken, isFull: true };
      taken++;
    }
    count = Math.min(keys.length - taken, page.piece);
    if (count > 0) await otherWork();
  }
  return { items: page.items, taken, isFull: false };
}

/** The item of each key, in order; undefined for a missing item. */
export function inPlaces<K, T>(
  keys: readonly K[],
  items: readonly T[],
  keyOf: (item: T) => K,
): (T | undefined)[] {
  const found = new Map(items.map((item) => [keyOf(item), item]));
  return keys.map((key) => found.get(key));
}

/** The records of a page of keys; ends early if they exceed the bytes of a response. See `fillPage`. */
export async function fillFrom<K, T>(
  { items: keys, positions, ...page }: Page<K>,
  read: (keys: readonly K[]) => Promise<readonly (T | undefined)[]>,
  boundOf?: BytesBound<T>,
  readAtOnce?: number,
): Promise<Page<T>> {
  const { items, taken, isFull } = await fillPage(keys, read, boundOf, readAtOnce);
  if (!isFull) return { ...page, items };
  return { ...page, items, nextOffset: page.offset + taken, next: positions?.[taken - 1] };
}
