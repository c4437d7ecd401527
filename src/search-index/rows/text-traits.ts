import { LRUCache } from 'lru-cache';

/** Traits of a memory's text that its rank depends on, apart from terms and vectors. */
export interface TextTraits {
  /**
   * Distinct word pieces of the static model, in ascending
   * order; without stop words, punctuation and the speaker.
   */
  readonly pieces: Uint16Array;
  readonly hasNumber: boolean;
  /** Words with a capital within a sentence. */
  readonly names: number;
}

const bytesPerEntry = 200;

/** Traits of recently ranked texts, by doc. Changes of an index remove the traits of changed texts. */
export class TextTraitsCache {
  readonly #traits: LRUCache<number, TextTraits>;

  constructor(bytesMax: number) {
    this.#traits = new LRUCache({
      maxSize: bytesMax,
      sizeCalculation: ({ pieces }) => bytesPerEntry + pieces.byteLength,
    });
  }

  get bytes(): number {
    return this.#traits.calculatedSize;
  }

  get isEmpty(): boolean {
    return this.#traits.size === 0;
  }

  get(doc: number): TextTraits | undefined {
    return this.#traits.get(doc);
  }

  add(doc: number, traits: TextTraits): void {
    this.#traits.set(doc, traits);
  }

  forget(doc: number): void {
    this.#traits.delete(doc);
  }

  clear(): void {
    this.#traits.clear();
  }
}
