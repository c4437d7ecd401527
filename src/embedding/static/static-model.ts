import { join } from 'node:path';
import { PieceSums } from './piece-sums.ts';
import { ModelFileError, readModelFile, readSafetensors, type Tensor } from './safetensors.ts';
import { WordPieces } from './word-pieces.ts';

/** Words near each word of the vocabulary, nearest first. */
interface NearTable {
  /** Row of a word piece, by its id; absent where the table has none. */
  readonly rows: ReadonlyMap<number, number>;
  readonly perRow: number;
  /** Ids of near words, `perRow` a row. */
  readonly ids: Uint16Array;
  /** Closeness times 255; 0 where there are fewer. */
  readonly similarity: Uint8Array;
}

/** The files of a static model, as read: its README says what they hold. */
export interface StaticModel {
  readonly dimension: number;
  readonly vocabulary: readonly string[];
  readonly pieces: WordPieces;
  readonly sums: PieceSums;
  readonly near: NearTable;
}

/** @throws ModelFileError naming the file that is missing or damaged */
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
  // Copied, for the vectors, most of the file, need not stay where they were read to.
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
