import { RecentMap } from '../../lib/collections.ts';
import { FeatureList, featureHash, indexOfGreatest, LinearModel } from './linear-model.ts';
import { type WordClusters, wordShape } from './word-clusters.ts';
import type { NameLists } from './word-lists.ts';

/** Classes of the model, in its order: beginning or inside of a name of a type, or outside of names. */
const labels = [
  'O',
  'B-PER',
  'I-PER',
  'B-ORG',
  'I-ORG',
  'B-LOC',
  'I-LOC',
  'B-TECH',
  'I-TECH',
  'B-CODE',
  'I-CODE',
  'B-MISC',
  'I-MISC',
] as const;
export type NameLabel = (typeof labels)[number];

const featuresMax = 92;
const letterStart = /^\p{L}/u;
const capital = /^\p{Lu}/u;
const startsAfter = /^[.!?:"(-]$/;

/** Properties of one sentence that features read. */
interface Seen {
  readonly words: readonly NameWord[];
  readonly tags: readonly string[];
  readonly marks: readonly (readonly string[])[];
  readonly capitals: string;
}

/**
 * Named-entity recogniser for people, organisations, places, technologies, code and other names in BIO
 * notation (Ratinov and Roth 2009): a greedy averaged perceptron over words, tags, clusters and marks of the
 * lists.
 */
export class Recogniser {
  readonly #model: LinearModel;
  readonly #marks: ListMarks;
  readonly #words: NameWords;
  readonly #features: FeatureList;

  /** @param path of the model's files, without `.bin` and `.json` @throws LanguageFileError */
  constructor(path: string, clusters: WordClusters, marks: ListMarks) {
    this.#model = LinearModel.load(path);
    this.#marks = marks;
    this.#words = new NameWords(clusters);
    this.#features = new FeatureList(featuresMax, this.#model.mask);
  }

  /** Labels of the words of a sentence, from words and part-of-speech tags. */
  label(sentence: readonly string[], tags: readonly string[]): NameLabel[] {
    const words = sentence.map((word) => this.#words.of(word));
    const seen = { words, tags, marks: this.#marks.of(sentence), capitals: capitalsOf(sentence) };
    const found: NameLabel[] = [];
    for (let i = 0; i < words.length; i++) {
      this.#features.clear();
      this.#describeContext(seen, i);
      this.#describeHistory(seen, i, found[i - 1] ?? '<', found[i - 2] ?? '<');
      this.#describeMarks(seen, i, found[i - 1] ?? '<');
      const scores = this.#model.score(this.#features.rows, this.#features.count);
      found.push(labels[indexOfGreatest(scores)]);
    }
    return found;
  }

  #describeContext({ words, tags }: Seen, i: number): void {
    const features = this.#features;
    const at = (j: number) => words[j] ?? padding;
    const [word, before, after, before2, after2] = [words[i], at(i - 1), at(i + 1), at(i - 2), at(i + 2)];
    const [tag, tagBefore, tagAfter] = [tags[i], tags[i - 1] ?? '<', tags[i + 1] ?? '>'];
    const place = placeOf(words, i);
    features.addHashes(word.own);
    features.add('p', tag, place);
    features.add('pa', tagBefore);
    features.add('pb', tagAfter);
    features.add('pp', tagBefore, tag, tagAfter);
    features.add('hp', word.shape, tag, place);
    features.add('a', before.lower);
    features.add('b', after.lower);
    features.add('a2', before2.lower);
    features.add('b2', after2.lower);
    features.add('aa', before2.lower, '|', before.lower);
    features.add('bb', after.lower, '|', after2.lower);
    features.add('ac', before.fine);
    features.add('bc', after.fine);
    features.add('ac6', before.coarse, word.shape);
    features.add('bc6', after.coarse, word.shape);
    features.add('ash', before.shape, word.shape);
    features.add('bsh', word.shape, after.shape);
    features.add('absh', before.shape, word.shape, after.shape);
  }

  #describeHistory({ words, tags, capitals }: Seen, i: number, label1: string, label2: string): void {
    const features = this.#features;
    const word = words[i];
    features.add('t1', label1);
    features.add('t2', label1, label2);
    features.add('t1w', label1, word.lower);
    features.add('t1h', label1, word.shape);
    features.add('t1p', label1, tags[i]);
    features.add('t1a', label1, (words[i - 1] ?? padding).lower);
    features.add('fc', capitals, word.shape, placeOf(words, i));
  }

  #describeMarks({ words, tags, marks }: Seen, i: number, label1: string): void {
    const features = this.#features;
    const [own, before, after] = [marks[i].join(), (marks[i - 1] ?? []).join(), (marks[i + 1] ?? []).join()];
    features.add('G', own);
    features.add('Ga', before, '/', own);
    features.add('Gb', own, '/', after);
    features.add('Gh', own, words[i].shape, placeOf(words, i));
    features.add('Gt', own, label1);
    features.add('Ga_', own, (words[i - 1] ?? padding).lower);
    for (const mark of marks[i]) {
      features.add('g', mark, tags[i]);
      features.add('gh', mark, words[i].shape);
    }
  }
}

/** `0` if a capital is expected: at the start of a sentence and after an opening mark. Otherwise `1`. */
function placeOf(words: readonly NameWord[], i: number): string {
  return i === 0 || startsAfter.test(words[i - 1].lower) ? '0' : '1';
}

/** Share of words that begin with a capital: nearly all (`A`), none (`N`) or some (`M`). */
function capitalsOf(words: readonly string[]): string {
  let letters = 0;
  let capitals = 0;
  for (const word of words) {
    if (!letterStart.test(word)) continue;
    letters++;
    if (capital.test(word)) capitals++;
  }
  if (capitals > letters * 0.7) return 'A';
  return capitals === 0 ? 'N' : 'M';
}

/** Properties of a word for the recogniser. */
export interface NameWord {
  readonly lower: string;
  readonly shape: string;
  readonly coarse: string;
  readonly fine: string;
  /** Hashes of the features of the word alone. */
  readonly own: readonly number[];
}

const padding: NameWord = { lower: '<>', shape: '<>', coarse: '<', fine: '<', own: [] };
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

/**
 * Lists in the order of their marks, with the letters in the features; `false` marks capitalised words only.
 */
const kinds = [
  ['t', true],
  ['b', true],
  ['lc', false],
  ['lr', false],
  ['g', false],
  ['f', false],
  ['o', false],
] as const;
const wordsMax = 4;

/**
 * Marks listed words: U for a single word, B and I for the first and other words of a longer name, then the
 * list.
 */
export class ListMarks {
  /** Lists of each name: bit `i` stands for the list `kinds[i]`. */
  readonly #listsOf = new Map<string, number>();

  constructor(lists: NameLists) {
    const regions = [...lists.places].filter((name) => !lists.cities.has(name));
    const sources = [
      lists.technologies.keys(),
      lists.brands.keys(),
      lists.cities,
      regions,
      lists.givenNames,
      lists.familyNames,
      lists.companies,
    ];
    for (const [bit, names] of sources.entries())
      for (const name of names) this.#listsOf.set(name, (this.#listsOf.get(name) ?? 0) | (1 << bit));
  }

  /** Marks of each word of a sentence; longest names first. */
  of(words: readonly string[]): string[][] {
    const lower = words.map((word) => word.toLowerCase());
    const marks = words.map((): string[] => []);
    for (const [i, word] of words.entries()) {
      const isCapital = capital.test(word);
      for (let n = Math.min(wordsMax, words.length - i); n >= 1; n--) {
        const lists = this.#listsOf.get(n === 1 ? lower[i] : lower.slice(i, i + n).join(' '));
        if (lists !== undefined) mark(marks, i, n, lists, isCapital);
      }
    }
    return marks;
  }
}

function mark(marks: string[][], i: number, n: number, lists: number, isCapital: boolean): void {
  for (const [bit, [letters, anyCase]] of kinds.entries()) {
    if ((lists & (1 << bit)) === 0 || !(anyCase || isCapital)) continue;
    if (marks[i].includes(`I${letters}`)) continue;
    marks[i].push(`${n > 1 ? 'B' : 'U'}${letters}`);
    for (let k = 1; k < n; k++) marks[i + k].push(`I${letters}`);
  }
}
