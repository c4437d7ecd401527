import { LRUCache } from 'lru-cache';
import type { Memory } from '../../domain/memories/memory.ts';

/** Bytes of a record in addition to its text, about. */
const bytesPerRecord = 1000;
/** A unit of text, and what is remembered of where its words stand (`shape/matched-words.ts`). */
const bytesPerUnit = 4;
/** A unit of metadata as JSON: as objects it takes more than as text. */
const bytesPerMetadataUnit = 16;

/**
 * Records of versions that were answered last, by doc. Whoever takes changes into an index forgets them here, so a
 * record found for a row of an up-to-date index is as that index shows it.
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
