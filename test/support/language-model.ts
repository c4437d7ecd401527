import { fileURLToPath } from 'node:url';
import { loadStaticModel, type StaticModel } from '../../src/embedding/static/static-model.ts';
import { type LanguageModel, loadLanguageModel } from '../../src/language/language-model.ts';

const models = (name: string) => fileURLToPath(new URL(`../../models/${name}`, import.meta.url));

let staticModel: StaticModel | undefined;
let model: LanguageModel | undefined;

export function bundledStaticModel(): StaticModel {
  staticModel ??= loadStaticModel(models('static-en-256'));
  return staticModel;
}

/** The models that come with memoryd, loaded once. */
export function languageModel(): LanguageModel {
  model ??= loadLanguageModel(models('language-en'), bundledStaticModel().vocabulary);
  return model;
}
