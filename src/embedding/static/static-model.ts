import { join } from 'node:path';
import type { ImmediateEmbedder, VectorSpace } from '../../domain/embedding/embedder.ts';
import type { Synonym, Synonyms } from '../../domain/embedding/similarity.ts';
import { passagesVersion } from '../../domain/passages/passages.ts';
import { type Instance, instantiate } from '../../lib/wasm.ts';
import { ModelFileError, readModelFile, readSafetensors, type Tensor } from '../model-file.ts';
import { sumsWasm } from './sums-wasm.ts';
import { WordPieces } from './word-pieces.ts';

/** Words near each word of the vocabulary, nearest first. */
interface NearTable {
  /** Row of a word piece, by its id; absent if the table has none. */
  readonly rows: ReadonlyMap<number, number>;
  readonly perRow: number;
  /** Ids of near words, `perRow` per row. */
  readonly ids: Uint16Array;
  /** Closeness times 255; 0 after the last near word of a row. */
  readonly similarity: Uint8Array;
}

/** Contents of the files of a static model; its README describes them. */
export interface StaticModel {
  readonly dimension: number;
  readonly vocabulary: readonly string[];
  readonly pieces: WordPieces;
  readonly sums: PieceSums;
  readonly near: NearTable;
}

/** @throws ModelFileError that names the missing or damaged file */
export function loadStaticModel(folder: string): StaticModel {
  const path = join(folder, 'model.safetensors');
  const tensors = readSafetensors(path);
  const tensorOf = <T extends Tensor['data']>(
    name: string,
    type: Tensor['type'],
  ): { shape: readonly number[]; data: T } => {
    const tensor = tensors.get(name);
    if (tensor?.type !== type) throw new ModelFileError(path, `lacks the tensor ${name}`);
    return { shape: tensor.shape, data: tensor.data as T };
  };
  const vectors = tensorOf<Int8Array>('vectors', 'I8');
  const [pieceCount, dimension] = vectors.shape;
  const vocabularyPath = join(folder, 'vocab.txt');
  const vocabulary = readModelFile(vocabularyPath).toString('utf8').trimEnd().split('\n');
  if (vocabulary.length !== pieceCount)
    throw new ModelFileError(vocabularyPath, `has ${vocabulary.length} lines for ${pieceCount} vectors`);
  const rows = tensorOf<Uint16Array>('near_rows', 'U16');
  const ids = tensorOf<Uint16Array>('near_ids', 'U16');
  // Copied, so that the tables never keep the vectors, most of the file, in memory.
  return {
    dimension,
    vocabulary,
    pieces: new WordPieces(vocabulary),
    sums: new PieceSums({
      dimension,
      vectors: vectors.data,
      scales: tensorOf<Float32Array>('scales', 'F32').data.slice(),
    }),
    near: {
      rows: new Map([...rows.data].map((id, row) => [id, row])),
      perRow: ids.shape[1],
      ids: ids.data.slice(),
      similarity: tensorOf<Uint8Array>('near_similarity', 'U8').data.slice(),
    },
  };
}

const closenessMax = 255;

/** Near words from the model's own table: up to 32 for each whole word of its vocabulary. */
export class SynonymTable implements Synonyms {
  readonly #model: StaticModel;

  constructor(model: StaticModel) {
    this.#model = model;
  }

  near(word: string): Synonym[] {
    const { pieces, near, vocabulary } = this.#model;
    const id = pieces.idOf(word);
    const row = id === undefined ? undefined : near.rows.get(id);
    if (row === undefined) return [];
    const found: Synonym[] = [];
    for (let i = row * near.perRow; i < (row + 1) * near.perRow && near.similarity[i] > 0; i++)
      found.push({ word: vocabulary[near.ids[i]], closeness: near.similarity[i] / closenessMax });
    return found;
  }
}

/** Properties of every static embedder. */
export const staticTraits = {
  /** No memory is longer. */
  longestInput: 50_000,
  /** 3 % of random pairs of general English are above it (see the README of the model). */
  relatedCosine: 0.3,
  version: `1.${passagesVersion}`,
} as const;

/** Embeds a text as the sum of the vectors of its word pieces: lookups only, some 20 µs for a short text. */
export class StaticEmbedder implements ImmediateEmbedder {
  readonly space: VectorSpace;
  readonly longestInput = staticTraits.longestInput;
  readonly relatedCosine = staticTraits.relatedCosine;
  readonly #pieces: WordPieces;
  readonly #sums: PieceSums;

  constructor(name: string, model: StaticModel) {
    this.space = { model: name, dimension: model.dimension, version: staticTraits.version };
    this.#pieces = model.pieces;
    this.#sums = model.sums;
  }

  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    return texts.map((text) => this.embedNow(text));
  }

  embedNow(text: string): Float32Array {
    const sum = this.#addUp(text);
    let square = 0;
    for (let i = 0; i < sum.length; i++) square += sum[i] * sum[i];
    const length = Math.sqrt(square);
    const unit = new Float32Array(sum.length);
    if (length > 0) for (let i = 0; i < sum.length; i++) unit[i] = sum[i] / length;
    return unit;
  }

  /** Ids of the known pieces of a text, in order. */
  piecesOf(text: string): number[] {
    const { unknown } = this.#pieces;
    const pieces = this.#pieces.tokensOf(text);
    return pieces.includes(unknown) ? pieces.filter((piece) => piece !== unknown) : pieces;
  }

  /** Sum of the vectors of all known pieces: frequent pieces have short vectors, so they weigh little. */
  sumOf(text: string): Float64Array {
    return this.#addUp(text).slice();
  }

  #addUp(text: string): Float64Array {
    const { unknown } = this.#pieces;
    const pieces = this.#pieces.tokensOf(text);
    return this.#sums.of(pieces.includes(unknown) ? pieces.filter((piece) => piece !== unknown) : pieces);
  }
}

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
