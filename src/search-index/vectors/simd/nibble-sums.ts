import { type Instance, instantiate } from '../../../lib/wasm.ts';
import { nibbleSumsWasm } from './nibble-sums-wasm.ts';

/** Vectors of a group. */
export const groupSize = 16;
/** Bytes of the tables of one place: 16 values for each half of the byte. */
export const tableBytes = 32;

/** Maximum vectors of a call. */
export const vectorsMax = 2048;
/** Bytes copied into the module's memory at a time: they fit the cache of a core. */
const blockBytes = 64 * 1024;
/** Bound that keeps sums within 16 bits: each place adds two values of at most 255. */
const placesMax = 128;
const tablesAt = blockBytes;
const sumsAt = tablesAt + placesMax * tableBytes;
const memoryBytes = sumsAt + 2 * vectorsMax;

/**
 * Sums of table values of half bytes, for 16 vectors in parallel ("fast scan": André, Kermarrec
 * and Le Scouarnec 2015, "Cache locality is not enough"). Synchronous; not reentrant.
 */
export class NibbleSums {
  readonly #simd: Instance | undefined;

  constructor(simd: Instance | undefined) {
    this.#simd = simd;
  }

  /** Maximum vectors of `places` bytes of a call of `add`; 0 without SIMD or if vectors are too long. */
  vectorsAtOnce(places: number): number {
    if (this.#simd === undefined || places > placesMax) return 0;
    return Math.min(vectorsMax, groupSize * Math.floor(blockBytes / (groupSize * places)));
  }

  /**
   * @param tables for each place, the values of the lower four bits, then of the higher four
   * @param groups of 16 vectors; for each place, one byte of each vector
   * @returns a sum for each vector; valid until the next call
   */
  add(tables: Uint8Array, groups: Uint8Array): Uint16Array {
    if (this.#simd === undefined) throw new Error('This machine has no SIMD.');
    const { run, buffer } = this.#simd;
    new Uint8Array(buffer, tablesAt, tables.length).set(tables);
    new Uint8Array(buffer, 0, groups.length).set(groups);
    run(0, groups.length, tablesAt, tablesAt + tables.length, sumsAt);
    return new Uint16Array(buffer, sumsAt, (groups.length * tableBytes) / tables.length);
  }
}

/** Shared by all; its memory is one block. */
export const nibbleSums = new NibbleSums(instantiate(nibbleSumsWasm, memoryBytes));
