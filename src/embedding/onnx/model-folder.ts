import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { ModelFileError, readModelFile } from '../model-file.ts';

/** Method that makes one vector from those of a text's pieces, if the model does not do it itself. */
type Pooling = 'mean' | 'cls';

/** Properties of a model, read from the small files of its sentence-transformers export. */
export interface ModelFolder {
  /** Absolute path. */
  readonly folder: string;
  /** Last part of the path. */
  readonly name: string;
  /** Numbers in a vector. */
  readonly dimension: number;
  /** Maximum of pieces of a text that the model reads, including the marks of its beginning and end. */
  readonly tokensMax: number;
  readonly pooling: Pooling;
}

const tokensMaxDefault = 512;
const bytesPerRead = 2 ** 20;

/** @throws ModelFileError that names the missing, damaged or unsupported file */
export function readModelFolder(given: string): ModelFolder {
  const folder = resolve(given);
  const model = readJson(join(folder, 'config.json'));
  const sentence = readJson(join(folder, 'sentence_bert_config.json'));
  const poolingPath = join(folder, '1_Pooling', 'config.json');
  const pooled = readJson(poolingPath);
  const dimension = wholeOf(pooled?.word_embedding_dimension) ?? wholeOf(model?.hidden_size);
  if (dimension === undefined)
    throw new ModelFileError(
      join(folder, 'config.json'),
      'does not say how many numbers a vector has (hidden_size)',
    );
  const tokensMax = wholeOf(sentence?.max_seq_length) ?? wholeOf(model?.max_position_embeddings);
  return {
    folder,
    name: basename(folder),
    dimension,
    tokensMax: tokensMax ?? tokensMaxDefault,
    pooling: poolingOf(pooled, poolingPath),
  };
}

/**
 * The first 12 hexadecimal digits of the SHA-256 of the model. They
 * detect another model in the same folder, which gives other vectors.
 */
export function fingerprintOf({ folder }: Pick<ModelFolder, 'folder'>): string {
  const path = modelPathOf(folder);
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(bytesPerRead);
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    throw new ModelFileError(path, `cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  try {
    for (let read = readSync(file, buffer); read > 0; read = readSync(file, buffer))
      hash.update(buffer.subarray(0, read));
  } finally {
    closeSync(file);
  }
  return hash.digest('hex').slice(0, 12);
}

/** Path of the model: exports have it in the folder itself or in its subfolder `onnx`. */
export function modelPathOf(folder: string): string {
  const paths = [join(folder, 'model.onnx'), join(folder, 'onnx', 'model.onnx')];
  return paths.find((path) => existsSync(path)) ?? paths[0];
}

type Json = Readonly<Record<string, unknown>>;

/** Undefined if the file does not exist: exports have different files. */
function readJson(path: string): Json | undefined {
  if (!existsSync(path)) return undefined;
  const text = readModelFile(path).toString('utf8');
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Json;
  } catch {
    // The error below names the path.
  }
  throw new ModelFileError(path, 'is no JSON object');
}

function wholeOf(value: unknown): number | undefined {
  return Number.isInteger(value) && Number(value) > 0 ? Number(value) : undefined;
}

function poolingOf(pooled: Json | undefined, path: string): Pooling {
  if (!pooled || pooled.pooling_mode_mean_tokens === true) return 'mean';
  if (pooled.pooling_mode_cls_token === true) return 'cls';
  throw new ModelFileError(path, 'asks for a pooling that is not supported: mean and cls are');
}
