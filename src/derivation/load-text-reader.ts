import { fileURLToPath } from 'node:url';
import { StaticEmbedder } from '../embedding/static/static-embedder.ts';
import { loadStaticModel } from '../embedding/static/static-model.ts';
import { loadLanguageModel } from '../language/language-model.ts';
import { TextReader } from './text-reader.ts';

const folderOf = (name: string) => fileURLToPath(new URL(`../../models/${name}`, import.meta.url));

/** Loads the models that come with memoryd: some 0.3 s. @throws LanguageFileError, ModelFileError */
export function loadTextReader(): TextReader {
  const model = loadStaticModel(folderOf('static-en-256'));
  const embedder = new StaticEmbedder('static-en-256', model);
  return new TextReader(loadLanguageModel(folderOf('language-en'), model.vocabulary), embedder);
}
