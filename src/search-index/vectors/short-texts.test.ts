import { describe, expect, it } from 'vitest';
import type { ImmediateEmbedder } from '../../domain/embedding/embedder.ts';
import { nearRecords, ShortTexts } from './short-texts.ts';

/** The vector of a text: its counts of a and b. */
function fakeEmbedder() {
  const asked: string[] = [];
  const embedNow = (text: string) => {
    asked.push(text);
    const [a, b] = ['a', 'b'].map((letter) => text.split(letter).length - 1);
    const length = Math.hypot(a, b);
    return Float32Array.from(length === 0 ? [0, 0] : [a / length, b / length]);
  };
  const embedder: ImmediateEmbedder = {
    space: { model: 'fake', dimension: 2, version: '1' },
    longestInput: 100,
    relatedCosine: 0.5,
    embed: async (texts) => texts.map(embedNow),
    embedNow,
  };
  return { asked, embedder };
}

describe('short texts', () => {
  it('short texts are compared in order, by a similarity that is calibrated', async () => {
    const { embedder } = fakeEmbedder();
    const found = await new ShortTexts(embedder, () => true).similarities('a', ['aa', 'b', 'ab', '']);
    expect([...found].map((value) => Number(value.toFixed(2)))).toEqual([1, 0, 0.71, 0]);
  });

  it('short texts are embedded once', async () => {
    const { embedder, asked } = fakeEmbedder();
    const texts = new ShortTexts(embedder, () => true);
    const many = Array.from({ length: 600 }, (_, i) => `a${i}`);
    await texts.similarities('b', many);
    await texts.similarities('ab', many);
    expect(asked.length).toBe(many.length + 2);
  });

  it('short texts are not read where nothing compares them', async () => {
    const reader = { recordTexts: () => Promise.reject(new Error('read')) };
    expect(await nearRecords(undefined, reader, { kind: 'fact', query: 'a' })).toEqual([]);
  });
});
