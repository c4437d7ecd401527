import { LRUCache } from 'lru-cache';

/** Recently used data of texts, by doc. Changes of an index remove the data of changed texts. */
export class DocCache<V extends object> {
  readonly #values: LRUCache<number, V>;

  /** @param bytesOf size of an entry, above 0 */
  constructor(bytesMax: number, bytesOf: (value: V) => number) {
    this.#values = new LRUCache({ maxSize: bytesMax, sizeCalculation: bytesOf });
  }

  get bytes(): number {
    return this.#values.calculatedSize;
  }

  get isEmpty(): boolean {
    return this.#values.size === 0;
  }

  get(doc: number): V | undefined {
    return this.#values.get(doc);
  }

  add(doc: number, value: V): void {
    this.#values.set(doc, value);
  }

  forget(doc: number): void {
    this.#values.delete(doc);
  }

  clear(): void {
    this.#values.clear();
  }
}
