import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { languageModel } from '../../test/support/language-model.ts';
import { speakerOf } from './text/speaker.ts';
import { sentencesOf } from './text/tokens.ts';

interface Expected {
  readonly text: string;
  readonly speaker?: string;
  readonly sentences: readonly {
    readonly spans: string;
    readonly tags: string;
    readonly names: string;
    readonly heads: string;
    readonly relations: string;
    readonly margin: number;
  }[];
}

/** Made by `models/language-en/train/expected.mjs` from all labelled texts. */
const texts = readFileSync('test/fixtures/language/stack.jsonl', 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Expected);
const { tagger, recogniser, parser } = languageModel();

describe('the language stack', () => {
  it('the language stack gives the tokens, sentences, tags, names and trees of the training scripts for every labelled text', () => {
    expect(texts.length).toBe(390);
    for (const { text, sentences } of texts) {
      const found = sentencesOf(text).map((tokens) => {
        const words = tokens.map(({ word }) => word);
        const tags = tagger.tag(words);
        const tree = parser.parse(words, tags);
        return {
          spans: tokens.map(({ start, end }) => `${start}-${end}`).join(' '),
          tags: tags.join(' '),
          names: recogniser.label(words, tags).join(' '),
          heads: tree.heads.map((head) => head + 1).join(' '),
          relations: tree.relations.join(' '),
          margin: Number(tree.margin.toFixed(4)),
        };
      });
      expect({ text, sentences: found }).toEqual({ text, sentences });
    }
  });

  it('the language stack gives tokens that are spans of the text', () => {
    for (const { text } of texts)
      for (const { word, start, end } of sentencesOf(text).flat()) expect(text.slice(start, end)).toBe(word);
  });

  it('the language stack finds the speaker of the training scripts in every labelled text', () => {
    for (const { text, speaker } of texts) expect([text, speakerOf(text)?.name]).toEqual([text, speaker]);
  });
});
