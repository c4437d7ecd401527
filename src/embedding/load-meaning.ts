import { fileURLToPath } from 'node:url';
import type { ImmediateEmbedder } from '../domain/embedding/embedder.ts';
import type { NearWords } from '../domain/embedding/near-words.ts';
import { TableNearWords } from './static/near-words.ts';
import { StaticEmbedder } from './static/static-embedder.ts';
import { loadStaticModel } from './static/static-model.ts';

const name = 'static-en-256';
const folder = fileURLToPath(new URL(`../../models/${name}`, import.meta.url));

/** What finding by meaning needs. */
export interface Meaning {
  readonly embedder: ImmediateEmbedder;
  /** The model that comes with the service: for short texts, whatever finds memories. */
  readonly carried: ImmediateEmbedder;
  readonly nearWords: NearWords;
}

let loaded: Meaning | undefined;

/** The parts that the setting names, read once a process; undefined for `none`. @throws ModelFileError */
export function loadMeaning({ embedder }: { readonly embedder: 'static' | 'none' }): Meaning | undefined {
  if (embedder === 'none') return undefined;
  if (!loaded) {
    const model = loadStaticModel(folder);
    const carried = new StaticEmbedder(name, model);
    loaded = { embedder: carried, carried, nearWords: new TableNearWords(model) };
  }
  return loaded;
}
