import { setTimeout as delay } from 'node:timers/promises';
import type { Embedder } from '../../src/domain/embedding/embedder.ts';
import { randomFrom } from './random.ts';

const dimension = 384;

function hash(word: string): number {
  let value = 2_166_136_261;
  for (let i = 0; i < word.length; i++) value = Math.imul(value ^ word.charCodeAt(i), 16_777_619);
  return value >>> 0;
}

/** A model of 384 dimensions that takes as long as a server would: texts of equal words are near. */
export class StandInEmbedder implements Embedder {
  readonly space = { model: 'stand-in', dimension, version: '1' };
  readonly longestInput = 10_000;
  readonly halfSimilarityAt = 0.3;
  readonly #answerMs: number;

  constructor(answerMs: number) {
    this.#answerMs = answerMs;
  }

  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    await delay(this.#answerMs);
    return texts.map(toVector);
  }
}

function toVector(text: string): Float32Array {
  const sum = new Float32Array(dimension);
  for (const word of text.split(/\s+/)) {
    const { float } = randomFrom(hash(word));
    for (let i = 0; i < dimension; i++) sum[i] += float() - 0.5;
  }
  const length = Math.hypot(...sum) || 1;
  return sum.map((number) => number / length);
}
