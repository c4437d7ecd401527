import { LRUCache } from 'lru-cache';

/** What of a memory's text its rank depends on, apart from terms and vectors. */
export interface TextTraits {
  /** Word pieces of the static model, each once, rising; neither stop words nor punctuation, nor who speaks. */
  readonly pieces: Uint16Array;
  readonly hasNumber: boolean;
  /** Words with a capital within a sentence. */
  readonly names: number;
}

const bytesPerEntry = 200;

/** Traits of texts that searches looked at last, by doc. Whoever takes changes into an index forgets them here. */
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
