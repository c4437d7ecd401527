import type { ModelFolder } from './model-folder.ts';
import { loadSentenceEncoder, type SentenceEncoder } from './sentence-encoder.ts';

export interface EncodeRequest {
  readonly model: ModelFolder;
  readonly texts: readonly string[];
  /** Shared with the main thread; 1 if no further text is to be encoded. */
  readonly isClosed: Int32Array;
}

let loaded: Promise<SentenceEncoder> | undefined;

/** Prefix of the message of an error that no text caused. */
export const cannotLoad = 'The encoder cannot be loaded: ';

/** The task of the thread of `ThreadEncoder`; its one model is loaded with the first text. */
export default async function encode({ model, texts, isClosed }: EncodeRequest): Promise<Float32Array[]> {
  loaded ??= loadSentenceEncoder(model);
  const encoder = await loaded.catch((error: unknown) => {
    // Loads again for the next text: the cause may be repaired by then.
    loaded = undefined;
    throw new Error(`${cannotLoad}${error instanceof Error ? error.message : String(error)}`);
  });
  return encoder.encode(texts, () => Atomics.load(isClosed, 0) === 1);
}
