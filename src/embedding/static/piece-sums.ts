import { type Instance, instantiate } from '../../lib/wasm.ts';
import { sumsWasm } from './sums-wasm.ts';

/** Numbers of a vector that the module adds at a time. */
const lanes = 16;
const bytesPerPiece = 16;
const bytesPerSum = 8;
/** Maximum of pieces per call of the module. */
const piecesMax = 1024;

export interface PieceVectors {
  /** Numbers of each vector. */
  readonly dimension: number;
  /** `dimension` numbers per piece, to be multiplied by its scale. */
  readonly vectors: Int8Array;
  readonly scales: Float32Array;
}

/** The function and its inputs and outputs, all in the memory of its module. */
interface Simd {
  readonly run: Instance['run'];
  readonly vectors: Int8Array;
  /** Byte offset of the list of pieces; the vectors are before it, the sums after it. */
  readonly listAt: number;
  readonly addresses: Int32Array;
  readonly scales: Float64Array;
  readonly sums: Float64Array;
}

/**
 * Sums the vectors of word pieces, each multiplied by its scale. If the
 * processor has SIMD, a WebAssembly module computes exactly the same sums, and
 * the vectors are in its memory. Calls are synchronous and share one buffer.
 */
export class PieceSums {
  readonly #table: PieceVectors;
  readonly #simd: Simd | undefined;
  /** Reused for each text: allocating one took longer than summing a short text. */
  readonly #sum: Float64Array;

  constructor(table: PieceVectors, withSimd = true) {
    this.#simd = withSimd ? loadSimd(table) : undefined;
    this.#table = { ...table, vectors: this.#simd?.vectors ?? table.vectors };
    this.#sum = this.#simd?.sums ?? new Float64Array(table.dimension);
  }

  get hasSimd(): boolean {
    return this.#simd !== undefined;
  }

  /** The table in use; its vectors may be in the memory of the module. */
  get table(): PieceVectors {
    return this.#table;
  }

  /** @returns `dimension` numbers, valid until the next call */
  of(pieces: readonly number[]): Float64Array {
    this.#sum.fill(0);
    if (this.#simd)
      for (let from = 0; from < pieces.length; from += piecesMax) this.#addBySimd(pieces, from, this.#simd);
    else for (const piece of pieces) this.#add(piece);
    return this.#sum;
  }

  #addBySimd(pieces: readonly number[], from: number, { run, listAt, addresses, scales, sums }: Simd): void {
    const { dimension, scales: own } = this.#table;
    const count = Math.min(piecesMax, pieces.length - from);
    for (let i = 0; i < count; i++) {
      const piece = pieces[from + i];
      addresses[4 * i] = piece * dimension;
      scales[2 * i + 1] = own[piece];
    }
    const sumsAt = sums.byteOffset;
    run(listAt, listAt + count * bytesPerPiece, sumsAt, sumsAt + sums.byteLength);
  }

  #add(piece: number): void {
    const { dimension, vectors, scales } = this.#table;
    const sum = this.#sum;
    const scale = scales[piece];
    for (let i = 0, from = piece * dimension; i < dimension; i++) sum[i] += vectors[from + i] * scale;
  }
}

function loadSimd({ dimension, vectors }: PieceVectors): Simd | undefined {
  if (dimension % lanes !== 0) return undefined;
  const listAt = Math.ceil(vectors.length / bytesPerPiece) * bytesPerPiece;
  const sumsAt = listAt + piecesMax * bytesPerPiece;
  const instance = instantiate(sumsWasm, sumsAt + dimension * bytesPerSum);
  if (!instance) return undefined;
  const { run, buffer } = instance;
  const capacity = new Int8Array(buffer, 0, vectors.length);
  capacity.set(vectors);
  return {
    run,
    vectors: capacity,
    listAt,
    addresses: new Int32Array(buffer, listAt, piecesMax * 4),
    scales: new Float64Array(buffer, listAt, piecesMax * 2),
    sums: new Float64Array(buffer, sumsAt, dimension),
  };
}
