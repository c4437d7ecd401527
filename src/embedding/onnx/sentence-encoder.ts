import { join } from 'node:path';
import { ModelFileError, readModelFile } from '../model-file.ts';
import { WordPieces } from '../static/word-pieces.ts';
import { type ModelFolder, modelPathOf } from './model-folder.ts';
import { loadRuntime, type OnnxRuntime, type Session } from './runtime.ts';

/** Names of the output with the vector of the text, for models that pool by themselves. */
const pooledOutputs = ['sentence_embedding', 'embedding'];
/** Names of the output with the vectors of the pieces, for other models. */
const pieceOutputs = ['token_embeddings', 'last_hidden_state'];

/** Turns texts into unit vectors by a model in ONNX format, on the thread of its caller. */
export class SentenceEncoder {
  readonly #runtime: OnnxRuntime;
  readonly #session: Session;
  readonly #tokenizer: BertTokenizer;
  readonly #model: ModelFolder;
  readonly #output: string;

  constructor(
    model: ModelFolder,
    { runtime, session, tokenizer }: { runtime: OnnxRuntime; session: Session; tokenizer: BertTokenizer },
  ) {
    this.#model = model;
    this.#runtime = runtime;
    this.#session = session;
    this.#tokenizer = tokenizer;
    const known = [...pooledOutputs, ...pieceOutputs].find((name) => session.outputNames.includes(name));
    if (known === undefined)
      throw new ModelFileError(
        modelPathOf(model.folder),
        `has none of the outputs ${[...pooledOutputs, ...pieceOutputs].join(', ')}`,
      );
    this.#output = known;
  }

  /**
   * Runs the model once per text: int8 models scale by the largest number of a
   * batch, so that in a batch the vector of a text would depend on the other texts.
   * @param isClosed called before each text
   * @throws if `isClosed` returns true
   */
  async encode(texts: readonly string[], isClosed: () => boolean): Promise<Float32Array[]> {
    const vectors: Float32Array[] = [];
    for (const text of texts) {
      if (isClosed()) throw new Error('the encoder is being ended');
      vectors.push(await this.#encodeOne(text));
    }
    return vectors;
  }

  async #encodeOne(text: string): Promise<Float32Array> {
    const ids = this.#tokenizer.idsOf(text, this.#model.tokensMax);
    const { inputNames } = this.#session;
    const inputs: Record<string, object> = {};
    for (const name of inputNames) inputs[name] = this.#input(name, ids);
    const { dims, data } = (await this.#session.run(inputs))[this.#output];
    const { dimension, pooling, folder } = this.#model;
    if (dims[dims.length - 1] !== dimension)
      throw new ModelFileError(
        modelPathOf(folder),
        `gives ${dims[dims.length - 1]} numbers a text, not ${dimension}`,
      );
    return unit(dims.length === 3 && pooling === 'mean' ? meanOf(data, dimension) : data.slice(0, dimension));
  }

  #input(name: string, ids: readonly number[]): object {
    const of = (value: (id: number) => number) => {
      const values = BigInt64Array.from(ids, (id) => BigInt(value(id)));
      return new this.#runtime.Tensor('int64', values, [1, ids.length]);
    };
    if (name === 'input_ids') return of((id) => id);
    if (name === 'attention_mask') return of(() => 1);
    if (name === 'token_type_ids') return of(() => 0);
    throw new ModelFileError(
      modelPathOf(this.#model.folder),
      `asks for the input ${name}, which is not known`,
    );
  }
}

/** @throws ModelFileError, NoRuntimeError, or the error of onnxruntime for a model that it cannot run */
export async function loadSentenceEncoder(model: ModelFolder): Promise<SentenceEncoder> {
  const runtime = loadRuntime();
  const tokenizer = readBertTokenizer(join(model.folder, 'tokenizer.json'));
  // One thread: requests and derivation need the other processors.
  const options = { intraOpNumThreads: 1, interOpNumThreads: 1 };
  const session = await runtime.InferenceSession.create(modelPathOf(model.folder), options);
  return new SentenceEncoder(model, { runtime, session, tokenizer });
}

/** Mean of the vectors of the pieces; none is padding. */
function meanOf(data: Float32Array, dimension: number): Float32Array {
  const mean = new Float32Array(dimension);
  const count = data.length / dimension;
  for (let i = 0; i < data.length; i++) mean[i % dimension] += data[i] / count;
  return mean;
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return length > 0 ? vector.map((number) => number / length) : vector;
}

interface TokenizerFile {
  readonly normalizer?: {
    readonly type?: string;
    readonly lowercase?: boolean;
    readonly strip_accents?: boolean | null;
  };
  readonly pre_tokenizer?: { readonly type?: string };
  readonly model?: { readonly type?: string; readonly vocab?: Readonly<Record<string, number>> };
}

/**
 * Turns texts into ids of word pieces between [CLS] and
 * [SEP], for BERT base uncased and its many descendants.
 */
export class BertTokenizer {
  readonly #pieces: WordPieces;
  readonly #begin: number;
  readonly #end: number;

  constructor(pieces: WordPieces, marks: { readonly begin: number; readonly end: number }) {
    this.#pieces = pieces;
    this.#begin = marks.begin;
    this.#end = marks.end;
  }

  /** At most `tokensMax` ids; later pieces are left out. */
  idsOf(text: string, tokensMax: number): number[] {
    return [this.#begin, ...this.#pieces.tokensOf(text).slice(0, tokensMax - 2), this.#end];
  }
}

/** @throws ModelFileError if the file is missing, damaged, or of another kind of tokenizer */
export function readBertTokenizer(path: string): BertTokenizer {
  const { normalizer, pre_tokenizer, model } = parse(path);
  const isUncased = normalizer?.lowercase === true && normalizer.strip_accents !== false;
  if (model?.type !== 'WordPiece' || !model.vocab || !isUncased || pre_tokenizer?.type !== 'BertPreTokenizer')
    throw new ModelFileError(
      path,
      `is of a kind that is not supported (${model?.type ?? 'no model'}): uncased WordPiece is, as in BERT. A server that runs the model can be asked through MEMORYD_EMBEDDER=openai`,
    );
  const vocabulary: string[] = [];
  for (const [piece, id] of Object.entries(model.vocab)) vocabulary[id] = piece;
  for (let id = 0; id < vocabulary.length; id++)
    if (vocabulary[id] === undefined) throw new ModelFileError(path, `has no piece with the id ${id}`);
  const idOf = (mark: string) => {
    const id = model.vocab?.[mark];
    if (id === undefined) throw new ModelFileError(path, `lacks the piece ${mark}`);
    return id;
  };
  return new BertTokenizer(new WordPieces(vocabulary), { begin: idOf('[CLS]'), end: idOf('[SEP]') });
}

function parse(path: string): TokenizerFile {
  const text = readModelFile(path).toString('utf8');
  try {
    return (JSON.parse(text) ?? {}) as TokenizerFile;
  } catch {
    throw new ModelFileError(path, 'is no JSON');
  }
}
