import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { encoderChecks, encoderFolder } from '../../../test/support/encoder-checks.ts';
import { newTempFolder } from '../../../test/support/temp-folder.ts';
import { readBertTokenizer } from './sentence-encoder.ts';

const path = join(encoderFolder, 'tokenizer.json');
const tokenizer = readBertTokenizer(path);

describe('the tokenizer of an encoder', () => {
  it.each(encoderChecks)('the tokenizer gives the ids of the original for $text', ({ text, ids }) => {
    expect(tokenizer.idsOf(text, 256)).toEqual(ids);
  });

  it('the tokenizer leaves out what is beyond the longest input, and still ends it', () => {
    const ids = tokenizer.idsOf('word '.repeat(500), 256);
    expect(ids).toHaveLength(256);
    expect([ids[0], ids[255]]).toEqual([101, 102]);
  });
});

describe('a tokenizer that is not supported', () => {
  const folder = newTempFolder('tokenizer');
  afterAll(() => folder.remove());
  const original = JSON.parse(readFileSync(path, 'utf8'));

  it.each([
    ['of another kind', { ...original, model: { type: 'Unigram', vocab: {} } }, 'not supported (Unigram)'],
    [
      'cased',
      { ...original, normalizer: { ...original.normalizer, lowercase: false } },
      'uncased WordPiece is',
    ],
    [
      'without its marks',
      { ...original, model: { ...original.model, vocab: { a: 0 } } },
      'lacks the piece [CLS]',
    ],
    ['with a gap', { ...original, model: { ...original.model, vocab: { a: 1 } } }, 'no piece with the id 0'],
    ['without a model', {}, 'not supported (no model)'],
  ])('a tokenizer is refused with the file and the reason where it is %s', (_, file, reason) => {
    const own = join(folder.path, 'tokenizer.json');
    writeFileSync(own, JSON.stringify(file));
    expect(() => readBertTokenizer(own)).toThrow(own);
    expect(() => readBertTokenizer(own)).toThrow(reason);
  });
});
