import { ModelFileError, readModelFile } from '../static/safetensors.ts';
import { WordPieces } from '../static/word-pieces.ts';

interface TokenizerFile {
  readonly normalizer?: {
    readonly type?: string;
    readonly lowercase?: boolean;
    readonly strip_accents?: boolean | null;
  };
  readonly pre_tokenizer?: { readonly type?: string };
  readonly model?: { readonly type?: string; readonly vocab?: Readonly<Record<string, number>> };
}

/** Texts as ids of word pieces between [CLS] and [SEP], as BERT base uncased and its many descendants read them. */
export class BertTokenizer {
  readonly #pieces: WordPieces;
  readonly #begin: number;
  readonly #end: number;

  constructor(pieces: WordPieces, marks: { readonly begin: number; readonly end: number }) {
    this.#pieces = pieces;
    this.#begin = marks.begin;
    this.#end = marks.end;
  }

  /** At most `tokensMax` ids; what is beyond is left out. */
  idsOf(text: string, tokensMax: number): number[] {
    return [this.#begin, ...this.#pieces.tokensOf(text).slice(0, tokensMax - 2), this.#end];
  }
}

/** @throws ModelFileError for a file that is missing, damaged, or of another kind of tokenizer */
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
