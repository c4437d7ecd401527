import { LRUCache } from 'lru-cache';
import type { Memory } from '../../domain/memories/memory.ts';

/** Recently used data of versions, by doc. Changes of an index remove the data of changed versions. */
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

/** Approximate bytes of a record in addition to its text. */
const bytesPerRecord = 1000;
/** Bytes of a UTF-16 unit of text, including the positions of its words (`search/shape/matched-words.ts`). */
const bytesPerUnit = 4;
/** Bytes of a UTF-16 unit of metadata as JSON: objects take more than text. */
const bytesPerMetadataUnit = 16;

const bytesOfRecord = ({ content, context, metadata }: Memory): number =>
  bytesPerRecord +
  bytesPerUnit * (content.length + (context?.length ?? 0)) +
  (metadata === null ? 0 : bytesPerMetadataUnit * JSON.stringify(metadata).length);

/** Recently returned records of versions: one found for a row of an up-to-date index is current. */
export class RecordCache extends DocCache<Memory> {
  constructor(bytesMax: number) {
    super(bytesMax, bytesOfRecord);
  }
}
