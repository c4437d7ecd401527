import { RecentMap } from '../../lib/collections.ts';
import { featureHash } from '../perceptron/feature-hash.ts';
import type { WordClusters } from '../perceptron/word-clusters.ts';
import { wordShape } from '../perceptron/word-shape.ts';

/** Properties of a word for the recogniser. */
export interface NameWord {
  readonly lower: string;
  readonly shape: string;
  readonly coarse: string;
  readonly fine: string;
  /** Hashes of the features of the word alone. */
  readonly own: readonly number[];
}

export const padding: NameWord = { lower: '<>', shape: '<>', coarse: '<', fine: '<', own: [] };
const remembered = 20_000;
const lengthMax = 12;

/** Cached properties of words for the recogniser. */
export class NameWords {
  readonly #clusters: WordClusters;
  readonly #recent = new RecentMap<string, NameWord>(remembered);

  constructor(clusters: WordClusters) {
    this.#clusters = clusters;
  }

  of(word: string): NameWord {
    const recent = this.#recent.get(word);
    if (recent) return recent;
    const features = this.#make(word);
    this.#recent.set(word, features);
    return features;
  }

  #make(word: string): NameWord {
    const lower = word.toLowerCase();
    const shape = wordShape(word);
    const { coarse, fine } = this.#clusters.of(word);
    const own = [
      featureHash('b'),
      featureHash('W', word),
      featureHash('w', lower),
      featureHash('h', shape),
      ...[2, 3, 4].map((length) => featureHash(`s${length}`, lower.slice(-length))),
      ...[2, 3, 4].map((length) => featureHash(`p${length}`, lower.slice(0, length))),
      featureHash('c6', coarse, shape),
      featureHash('c5', fine),
      featureHash('c5h', fine, shape),
      featureHash('L', `${Math.min(word.length, lengthMax)}`),
    ];
    return { lower, shape, coarse, fine, own };
  }
}
