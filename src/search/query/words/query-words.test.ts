import { describe, expect, it } from 'vitest';
import { analyzeQuery, analyzeWithOffsets } from '../../../search-index/analysis/index.ts';
import { queryWords, unfinishedWord } from './query-words.ts';
import { phraseTest, quotedPhrases } from './quoted-phrases.ts';

describe('words of a query', () => {
  it('words of a query are those of letters that are one term each', () => {
    const words = queryWords('The Kubernétes of src/app.ts, getName 12 京都', analyzeWithOffsets);
    expect(words).toEqual([{ term: 'kubernet', word: 'kubernetes', typed: 'Kubernétes' }]);
  });

  it.each([
    ['kuber', 'kuber'],
    ['move to Küb', 'kub'],
    ['src/app', 'app'],
    ['ku', undefined],
    ['kuber ', undefined],
    ['kuber.', undefined],
    ['what about', undefined],
    ['k8s', undefined],
    ['東京タワー', undefined],
    ['', undefined],
  ])('the unfinished word of the query %j is %j', (query, word) => expect(unfinishedWord(query)).toBe(word));
});

describe('quoted phrases', () => {
  it.each([
    ['say "blue door" and “red roof” or «green gate»', ['blue door', 'red roof', 'green gate']],
    ['"blue door" "Blue  DOOR!"', ['Blue  DOOR!']],
    ['5" and 6" pipes', []],
    ['"open', []],
    ['"" " " "the"', []],
  ])('quoted phrases of %j are %j', (query, texts) => {
    expect(quotedPhrases(query, analyzeQuery).map(({ text }) => text)).toEqual(texts);
  });

  it.each([
    ['blue door', 'A Blue, DOOR.', true],
    ['blue door', 'blue doors', false],
    ['blue door', 'door blue', false],
    ['état', "l'Etat c'est moi", true],
    ['京都の', '私は京都の茶', true],
    ['don’t go', "please don't go", true],
  ])('the phrase %j is in %j: %j', (phrase, text, stands) => expect(phraseTest(phrase)(text)).toBe(stands));
});
