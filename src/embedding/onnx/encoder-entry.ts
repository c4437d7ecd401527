import type { ModelFolder } from './model-folder.ts';
import { loadSentenceEncoder, type SentenceEncoder } from './sentence-encoder.ts';

export interface EncodeRequest {
  readonly model: ModelFolder;
  readonly texts: readonly string[];
  /** Shared; 1 once no further text is to be encoded. */
  readonly isClosed: Int32Array;
}

let loaded: Promise<SentenceEncoder> | undefined;

/** Begins the message of an error that no text had a part in. */
export const cannotLoad = 'The encoder cannot be loaded: ';

/** What the thread of `ThreadEncoder` runs; its one model is loaded with the first text. */
export default async function encode({ model, texts, isClosed }: EncodeRequest): Promise<Float32Array[]> {
  loaded ??= loadSentenceEncoder(model);
  const encoder = await loaded.catch((error: unknown) => {
    // Whatever is amiss may have been mended by the next text.
    loaded = undefined;
    throw new Error(`${cannotLoad}${error instanceof Error ? error.message : String(error)}`);
  });
  return encoder.encode(texts, () => Atomics.load(isClosed, 0) === 1);
}
