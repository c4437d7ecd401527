import { type Instance, instantiate } from '../../../lib/wasm.ts';
import { codesWasm } from './codes-wasm.ts';

/** Bytes copied into the module's memory at a time: they fit the cache of a core. */
const blockBytes = 64 * 1024;
const numbersPerWord = 32;
const numbersPerByte = 8;
const dimensionMax = 4096;
const vectorsMax = blockBytes / numbersPerWord;
const doubleBytes = 8;
const centreAt = blockBytes;
const restAt = centreAt + doubleBytes * dimensionMax;
const perLengthsAt = restAt + doubleBytes * dimensionMax;
const firstAt = perLengthsAt + doubleBytes * vectorsMax;
const secondAt = firstAt + blockBytes / numbersPerByte;
const factorsAt = secondAt + blockBytes / numbersPerByte;
const memoryBytes = factorsAt + 4 * vectorsMax;

/**
 * Two bits for each number of some vectors, one vector after the
 * other, and a factor for each vector; valid until the next call.
 */
interface Codes {
  readonly first: Uint8Array;
  readonly second: Uint8Array;
  readonly factors: Float32Array;
}

/**
 * Makes codes for `VectorCodes` by SIMD: 0.5 us for 256 numbers, a fifteenth of the time of plain JavaScript.
 */
class CodeMaker {
  readonly #simd: Instance | undefined;

  constructor(simd: Instance | undefined) {
    this.#simd = simd;
  }

  /** Maximum vectors of a call of `make`; 0 without SIMD or for an unsupported dimension. */
  vectorsAtOnce(dimension: number): number {
    const isOfWords = dimension % numbersPerWord === 0 && dimension <= dimensionMax;
    return this.#simd !== undefined && isOfWords ? Math.floor(blockBytes / dimension) : 0;
  }

  /** @param perLengths 1/length of each vector */
  make(vectors: Int8Array, perLengths: Float64Array, centre: Float32Array): Codes {
    if (this.#simd === undefined) throw new Error('This machine has no SIMD.');
    const { run, buffer } = this.#simd;
    const count = perLengths.length;
    const bytes = vectors.length / numbersPerByte;
    new Int8Array(buffer, 0, vectors.length).set(vectors);
    new Float64Array(buffer, perLengthsAt, count).set(perLengths);
    new Float64Array(buffer, centreAt, centre.length).set(centre);
    const centreEnd = centreAt + doubleBytes * centre.length;
    run(0, vectors.length, perLengthsAt, centreAt, centreEnd, restAt, firstAt, secondAt, factorsAt);
    return {
      first: new Uint8Array(buffer, firstAt, bytes),
      second: new Uint8Array(buffer, secondAt, bytes),
      factors: new Float32Array(buffer, factorsAt, count),
    };
  }
}

/** Shared by all; its memory is one block. */
export const codeMaker = new CodeMaker(instantiate(codesWasm, memoryBytes));
