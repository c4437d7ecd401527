import { RecentMap } from '../../lib/collections.ts';
import { readJsonFile } from './language-file.ts';
import { featureHash, LinearModel } from './linear-model.ts';
import { ParserFeatures, type SentenceHashes, TransitionState, templateCount } from './parser-state.ts';
import type { WordClusters } from './word-clusters.ts';

/**
 * A dependency tree: the head of each word, counted from 0 (-1: the root), and its Universal Dependencies
 * relation.
 */
export interface Tree {
  readonly heads: readonly number[];
  readonly relations: readonly string[];
  /**
   * Least difference between the best and the second-best action over the sentence: the parser's certainty.
   */
  readonly margin: number;
}

const [shift, reduce, firstLeft] = [0, 1, 2];
const [rootWord, rootTag] = [3, 5];
const marginMax = 99;
const remembered = 50_000;

/**
 * Arc-eager dependency parser (Nivre 2003), greedy, trained with a dynamic oracle (Goldberg and Nivre 2012).
 */
export class Parser {
  readonly #model: LinearModel;
  readonly #relations: readonly string[];
  readonly #rootRelation: number;
  readonly #clusters: WordClusters;
  readonly #features: ParserFeatures;
  readonly #hashes = new RecentMap<string, number>(remembered);

  /** @param path of the model's files, without `.bin` and `.json` @throws LanguageFileError */
  constructor(path: string, clusters: WordClusters) {
    this.#model = LinearModel.load(path);
    const { labels, rootLab } = readJsonFile<{ labels: string[]; rootLab: number }>(`${path}.json`);
    this.#relations = labels;
    this.#rootRelation = rootLab;
    this.#clusters = clusters;
    this.#features = new ParserFeatures(this.#model.mask);
  }

  parse(words: readonly string[], tags: readonly string[]): Tree {
    const hashes = this.#hashesOf(words, tags);
    const state = new TransitionState(words.length);
    let margin = marginMax;
    while (!state.isDone) {
      this.#features.describe(state, hashes);
      const scores = this.#model.score(this.#features.rows, templateCount);
      const choice = this.#choose(scores, state.canReduce, state.canGoLeft);
      margin = Math.min(margin, choice.margin);
      this.#act(state, choice.action);
    }
    const heads = Array.from(state.heads.subarray(1), (head) => Math.max(head, 0) - 1);
    const relations = Array.from(
      state.relations.subarray(1),
      (relation) => this.#relations[relation < 0 ? this.#rootRelation : relation],
    );
    return { heads, relations, margin };
  }

  #act(state: TransitionState, action: number): void {
    const firstRight = firstLeft + this.#relations.length;
    if (action === shift) state.shift();
    else if (action === reduce) state.reduce();
    else if (action < firstRight) state.arcLeft(action - firstLeft);
    else state.arcRight(action - firstRight);
  }

  /** The best possible action; the first one if several are equal. */
  #choose(scores: Float32Array, canReduce: boolean, canGoLeft: boolean): { action: number; margin: number } {
    const firstRight = firstLeft + this.#relations.length;
    let action = shift;
    let second = Number.NEGATIVE_INFINITY;
    for (let c = 1; c < scores.length; c++) {
      if (c === reduce ? !canReduce : c < firstRight && !canGoLeft) continue;
      if (scores[c] > scores[action]) {
        second = scores[action];
        action = c;
      } else second = Math.max(second, scores[c]);
    }
    return { action, margin: scores[action] - second };
  }

  #hashesOf(words: readonly string[], tags: readonly string[]): SentenceHashes {
    const hashes = {
      words: new Int32Array(words.length + 1),
      tags: new Int32Array(words.length + 1),
      clusters: new Int32Array(words.length + 1),
    };
    hashes.words[0] = rootWord;
    hashes.tags[0] = rootTag;
    for (const [i, word] of words.entries()) {
      hashes.words[i + 1] = this.#hash(word.toLowerCase());
      hashes.tags[i + 1] = this.#hash(`T${tags[i]}`);
      hashes.clusters[i + 1] = this.#hash(this.#clusters.of(word).fine);
    }
    return hashes;
  }

  #hash(text: string): number {
    const known = this.#hashes.get(text);
    if (known !== undefined) return known;
    const hash = featureHash(text) | 0;
    this.#hashes.set(text, hash);
    return hash;
  }
}
