import { readFileSync } from 'node:fs';
import { analyzeQuery } from '../../src/search-index/analysis/index.ts';
import type { Words } from './corpus.ts';

const wordCharactersMin = 3;

/**
 * The words of the model's own vocabulary, about from the commonest to the rarest, without stop words: texts of them
 * have vectors and near words, which made words have not.
 */
export function englishWords(): Words {
  const file = new URL('../../models/static-en-256/vocab.txt', import.meta.url);
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((word) => /^[a-z]+$/.test(word) && word.length >= wordCharactersMin)
    .filter((word) => analyzeQuery(word).length > 0);
}
