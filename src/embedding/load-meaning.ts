import { fileURLToPath } from 'node:url';
import type { Embedder, ImmediateEmbedder } from '../domain/embedding/embedder.ts';
import type { NearWords } from '../domain/embedding/near-words.ts';
import { TableNearWords } from './static/near-words.ts';
import { StaticEmbedder } from './static/static-embedder.ts';
import { loadStaticModel } from './static/static-model.ts';

/** Of the model that comes with the service. */
export const carriedModel = 'static-en-256';
const folder = fileURLToPath(new URL(`../../models/${carriedModel}`, import.meta.url));

/** What finding by meaning needs. */
export interface Meaning {
  readonly embedder: Embedder;
  /** The model that comes with the service: for short texts, whatever finds memories. */
  readonly carried: ImmediateEmbedder;
  readonly nearWords: NearWords;
}

let loaded: Meaning | undefined;

/** The parts that the setting names; undefined for `none`. @throws ModelFileError */
export function loadMeaning({ embedder }: { readonly embedder: 'static' | 'none' }): Meaning | undefined {
  return embedder === 'none' ? undefined : loadCarried();
}

/** The parts that come with the service, read once a process. @throws ModelFileError */
export function loadCarried(): Meaning {
  if (!loaded) {
    const model = loadStaticModel(folder);
    const carried = new StaticEmbedder(carriedModel, model);
    loaded = { embedder: carried, carried, nearWords: new TableNearWords(model) };
  }
  return loaded;
}
