import { RecentMap } from '../../lib/collections.ts';
import { featureHash } from '../perceptron/feature-hash.ts';
import type { WordClusters } from '../perceptron/word-clusters.ts';
import { wordShape } from '../perceptron/word-shape.ts';

/** Properties of a word for the tagger. */
export interface WordFeatures {
  readonly lower: string;
  readonly shape: string;
  readonly ending: string;
  readonly coarse: string;
  readonly fine: string;
  /** Hashes of the features of the word alone. */
  readonly own: readonly number[];
}

/** Stands for the words before and after a sentence. */
export const padding: WordFeatures = {
  lower: '<>',
  shape: '<>',
  ending: '',
  coarse: '<',
  fine: '<',
  own: [],
};
const remembered = 20_000;

/** Cached properties of words for the tagger. */
export class TaggerWords {
  readonly #clusters: WordClusters;
  readonly #recent = new RecentMap<string, WordFeatures>(remembered);

  constructor(clusters: WordClusters) {
    this.#clusters = clusters;
  }

  of(word: string): WordFeatures {
    const recent = this.#recent.get(word);
    if (recent) return recent;
    const features = this.#make(word);
    this.#recent.set(word, features);
    return features;
  }

  #make(word: string): WordFeatures {
    const lower = word.toLowerCase();
    const shape = wordShape(word);
    const { coarse, fine } = this.#clusters.of(word);
    const own = [
      featureHash('b'),
      featureHash('w', lower),
      featureHash('W', word),
      ...[1, 2, 3, 4].map((length) => featureHash(`s${length}`, lower.slice(-length))),
      featureHash('p1', lower.slice(0, 1)),
      featureHash('p3', lower.slice(0, 3)),
      featureHash('h', shape),
      featureHash('c6', coarse),
      featureHash('c5', fine),
    ];
    return { lower, shape, ending: lower.slice(-3), coarse, fine, own };
  }
}
