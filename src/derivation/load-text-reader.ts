import { fileURLToPath } from 'node:url';
import { StaticEmbedder } from '../embedding/static/static-embedder.ts';
import { loadStaticModel } from '../embedding/static/static-model.ts';
import { loadLanguageModel } from '../language/language-model.ts';
import { PairComparer } from './edge-finder.ts';
import { TextReader } from './text-reader.ts';

const folderOf = (name: string) => fileURLToPath(new URL(`../../models/${name}`, import.meta.url));

/** What reads texts, and what compares them, over the same models. */
export interface TextReaders {
  readonly reader: TextReader;
  readonly finder: PairComparer;
}

/** Loads the models that come with memoryd: some 0.3 s. @throws LanguageFileError, ModelFileError */
export function loadTextReaders(): TextReaders {
  const model = loadStaticModel(folderOf('static-en-256'));
  const embedder = new StaticEmbedder('static-en-256', model);
  const language = loadLanguageModel(folderOf('language-en'), model.vocabulary);
  return { reader: new TextReader(language, embedder), finder: new PairComparer(language, embedder) };
}
