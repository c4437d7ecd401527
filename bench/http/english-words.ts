import { readFileSync } from 'node:fs';
import { analyzeQuery } from '../../src/search-index/analysis/index.ts';
import type { Words } from './corpus.ts';

const wordCharactersMin = 3;

/**
 * Words of the model's vocabulary, roughly by falling frequency, without stop
 * words. Texts of them have vectors and synonyms; invented words have neither.
 */
export function englishWords(): Words {
  const file = new URL('../../models/static-en-256/vocab.txt', import.meta.url);
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((word) => /^[a-z]+$/.test(word) && word.length >= wordCharactersMin)
    .filter((word) => analyzeQuery(word).length > 0);
}
