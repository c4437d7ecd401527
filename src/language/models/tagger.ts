import { RecentMap } from '../../lib/collections.ts';
import { readJsonFile } from './language-file.ts';
import { FeatureList, featureHash, indexOfGreatest, LinearModel } from './linear-model.ts';
import { type WordClusters, wordShape } from './word-clusters.ts';

const featuresMax = 64;

/**
 * Part-of-speech tagger with Penn Treebank tags: a greedy averaged perceptron from left to right, with the
 * features of Ratnaparkhi (1996) and word clusters.
 */
export class Tagger {
  readonly #model: LinearModel;
  readonly #tags: readonly string[];
  readonly #words: TaggerWords;
  readonly #features: FeatureList;

  /** @param path of the model's files, without `.bin` and `.json` @throws LanguageFileError */
  constructor(path: string, clusters: WordClusters) {
    this.#model = LinearModel.load(path);
    this.#tags = readJsonFile<{ tags: string[] }>(`${path}.json`).tags;
    this.#words = new TaggerWords(clusters);
    this.#features = new FeatureList(featuresMax, this.#model.mask);
  }

  /** Tags of the words of a sentence. */
  tag(sentence: readonly string[]): string[] {
    const words = sentence.map((word) => this.#words.of(word));
    const tags: string[] = [];
    for (let i = 0; i < words.length; i++) {
      this.#describe(words, i, tags[i - 1] ?? '<', tags[i - 2] ?? '<');
      const scores = this.#model.score(this.#features.rows, this.#features.count);
      tags.push(this.#tags[indexOfGreatest(scores)]);
    }
    return tags;
  }

  #describe(words: readonly WordFeatures[], i: number, tag1: string, tag2: string): void {
    const features = this.#features;
    const at = (j: number) => words[j] ?? padding;
    const [word, before, after, before2, after2] = [words[i], at(i - 1), at(i + 1), at(i - 2), at(i + 2)];
    features.clear();
    features.addHashes(word.own);
    features.add('t1', tag1);
    features.add('t2', tag2);
    features.add('t12', tag1, '|', tag2);
    features.add('t1w', tag1, word.lower);
    features.add('a', before.lower);
    features.add('b', after.lower);
    features.add('a2', before2.lower);
    features.add('b2', after2.lower);
    features.add('as', before.ending);
    features.add('bs', after.ending);
    features.add('bh', after.shape);
    features.add('ah', before.shape);
    features.add('ac', before.fine);
    features.add('bc', after.fine);
    features.add('ab', before.lower, '|', after.lower);
    features.add('t1s', tag1, word.ending);
    features.add('t1b', tag1, after.lower);
    features.add('i', `${i === 0}`, word.shape);
    features.add('t1c', tag1, word.fine, after.coarse);
  }
}

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
const padding: WordFeatures = {
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
