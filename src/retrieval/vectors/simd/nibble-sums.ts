import { type Instance, instantiate } from '../../../lib/wasm.ts';
import { nibbleSumsWasm } from './nibble-sums-wasm.ts';

/** Vectors of a group. */
export const groupSize = 16;
/** Of a table, for each place of a byte. */
export const tableBytes = 32;

/** The most that are added up at once. */
export const vectorsMax = 2048;
/** Copied into the module's memory at a time: what fits a core's own cache. */
const blockBytes = 64 * 1024;
/** So that no sum is beyond 16 bits: two values of at most 255 a place. */
const placesMax = 128;
const tablesAt = blockBytes;
const sumsAt = tablesAt + placesMax * tableBytes;
const memoryBytes = sumsAt + 2 * vectorsMax;

/**
 * Sums of what the halves of bytes stand for, a byte at most each, of 16 vectors side by side ("fast scan": André, Kermarrec
 * and Le Scouarnec 2015, "Cache locality is not enough"). One call at a time; calls do not wait.
 */
export class NibbleSums {
  readonly #simd: Instance | undefined;

  constructor(simd: Instance | undefined) {
    this.#simd = simd;
  }

  /** Vectors of so many bytes that `add` takes at once; 0 where this machine cannot add them up, or vectors are too long. */
  vectorsAtOnce(places: number): number {
    if (this.#simd === undefined || places > placesMax) return 0;
    return Math.min(vectorsMax, groupSize * Math.floor(blockBytes / (groupSize * places)));
  }

  /**
   * @param tables for each place what the lower four bits stand for by their value, then the higher four
   * @param groups of 16 vectors; of each place a byte of each vector
   * @returns a sum each; they hold until the next call
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

/** Shared by all: it holds no more than one block. */
export const nibbleSums = new NibbleSums(instantiate(nibbleSumsWasm, memoryBytes));
