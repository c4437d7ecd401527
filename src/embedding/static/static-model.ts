import { join } from 'node:path';
import type { ImmediateEmbedder, VectorSpace } from '../../domain/embedding/embedder.ts';
import type { Synonym, Synonyms } from '../../domain/embedding/similarity.ts';
import { passagesVersion } from '../../domain/passages/passages.ts';
import { ModelFileError, readModelFile, readSafetensors, type Tensor } from '../model-file.ts';
import { PieceSums } from './piece-sums.ts';
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
