import { LRUCache } from 'lru-cache';
import type { Memory } from '../../domain/memories/memory.ts';

/** Approximate bytes of a record in addition to its text. */
const bytesPerRecord = 1000;
/** Bytes of a UTF-16 unit of text, including the positions of its words (`search/shape/matched-words.ts`). */
const bytesPerUnit = 4;
/** Bytes of a UTF-16 unit of metadata as JSON: objects take more than text. */
const bytesPerMetadataUnit = 16;

/**
 * Recently returned records of versions, by doc. Applying changes to an index forgets the
 * changed records, so that a record found for a row of an up-to-date index is current.
 */
export class RecordCache {
  readonly #records: LRUCache<number, Memory>;

  constructor(bytesMax: number) {
    this.#records = new LRUCache({
      maxSize: bytesMax,
      sizeCalculation: ({ content, context, metadata }) =>
        bytesPerRecord +
        bytesPerUnit * (content.length + (context?.length ?? 0)) +
        (metadata === null ? 0 : bytesPerMetadataUnit * JSON.stringify(metadata).length),
    });
  }

  get bytes(): number {
    return this.#records.calculatedSize;
  }

  get isEmpty(): boolean {
    return this.#records.size === 0;
  }

  get(doc: number): Memory | undefined {
    return this.#records.get(doc);
  }

  add(memory: Memory): void {
    this.#records.set(memory.doc, memory);
  }

  forget(doc: number): void {
    this.#records.delete(doc);
  }

  clear(): void {
    this.#records.clear();
  }
}
