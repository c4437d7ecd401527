import { type Instance, instantiate } from '../../lib/wasm.ts';
import { LanguageFileError, readJsonFile, readLanguageFile } from './language-file.ts';
import { rowSumsWasm } from './row-sums-wasm.ts';

/** Content of the JSON file next to the weights. */
interface Meta {
  /** The hash table has 2^bits rows. */
  readonly bits: number;
  readonly classes: number;
  /** The largest absolute weight. */
  readonly max: number;
}

const int8Max = 127;
const bytesPerNumber = 4;
/** The SIMD module adds this many numbers at a time. */
const lanes = 16;
/** Maximum of features of one decision. */
const featuresMax = 128;

/**
 * A linear classifier over hashed features (the hashing trick, Weinberger et al. 2009). A feature has
 * `classes` weights from index `hash mod 2^bits` on, so neighbouring rows overlap. The weights come from an
 * averaged perceptron (Collins 2002) and are stored as int8, square-companded: weight = sign(q) (q / 127)^2
 * max.
 */
export class LinearModel {
  readonly mask: number;
  readonly classes: number;
  readonly #weights: Float32Array;
  readonly #simd: Instance | undefined;
  /** Byte addresses of the rows of a decision. */
  readonly #rows: Int32Array;
  /** The scores, and the columns after them that the SIMD module adds up too. */
  readonly #sums: Float32Array;
  readonly #scores: Float32Array;

  private constructor(mask: number, classes: number, withSimd: boolean) {
    this.mask = mask;
    this.classes = classes;
    const width = Math.ceil(classes / lanes) * lanes;
    const count = mask + 1 + classes;
    // The last rows are read beyond the last weight.
    const rowsAt = (count + lanes) * bytesPerNumber;
    const sumsAt = rowsAt + featuresMax * bytesPerNumber;
    const bytes = sumsAt + width * bytesPerNumber;
    this.#simd = withSimd ? instantiate(rowSumsWasm, bytes) : undefined;
    const buffer = this.#simd?.buffer ?? new ArrayBuffer(bytes);
    this.#weights = new Float32Array(buffer, 0, count);
    this.#rows = new Int32Array(buffer, rowsAt, featuresMax);
    this.#sums = new Float32Array(buffer, sumsAt, width);
    this.#scores = this.#sums.subarray(0, classes);
  }

  /** @param path of both files, without `.bin` and `.json` @throws LanguageFileError */
  static load(path: string, withSimd = true): LinearModel {
    const { bits, classes, max } = readJsonFile<Meta>(`${path}.json`);
    const file = readLanguageFile(`${path}.bin`);
    const rows = 2 ** bits;
    if (!(max > 0) || file.length !== rows + classes)
      throw new LanguageFileError(`${path}.bin`, `has ${file.length} weights instead of ${rows + classes}`);
    const model = new LinearModel(rows - 1, classes, withSimd);
    for (const [i, q] of new Int8Array(file.buffer, file.byteOffset, file.length).entries())
      model.#weights[i] = ((Math.sign(q) * q * q) / int8Max ** 2) * max;
    return model;
  }

  get hasSimd(): boolean {
    return this.#simd !== undefined;
  }

  /**
   * The score of each class: the sum of the weights of the first `count` features. The list is the same object in all
   * calls.
   * @throws RangeError unless there are 1 to 128 features
   */
  score(features: Int32Array, count: number): Float32Array {
    if (count < 1 || count > featuresMax) throw new RangeError(`${count} features of one decision`);
    if (this.#simd) {
      const { byteOffset: rowsAt } = this.#rows;
      const { byteOffset: sumsAt, byteLength } = this.#sums;
      for (let i = 0; i < count; i++) this.#rows[i] = features[i] * bytesPerNumber;
      this.#simd.run(rowsAt, rowsAt + count * bytesPerNumber, sumsAt, sumsAt + byteLength);
    } else this.#scoreWithoutSimd(features, count);
    return this.#scores;
  }

  #scoreWithoutSimd(features: Int32Array, count: number): void {
    const weights = this.#weights;
    const scores = this.#scores;
    const classes = this.classes;
    scores.fill(0);
    for (let i = 0; i < count; i++) {
      const row = features[i];
      for (let c = 0; c < classes; c++) scores[c] += weights[row + c];
    }
  }
}

/** The feature rows of one decision; reused for the next decision. */
export class FeatureList {
  readonly rows: Int32Array;
  readonly #mask: number;
  count = 0;

  constructor(max: number, mask: number) {
    this.rows = new Int32Array(max);
    this.#mask = mask;
  }

  clear(): void {
    this.count = 0;
  }

  /** Adds the feature of a name and its values; ignored if the list is full. */
  add(name: string, first = '', second = '', third = ''): void {
    this.addHash(featureHash(name, first, second, third));
  }

  addHash(hash: number): void {
    if (this.count < this.rows.length) this.rows[this.count++] = hash & this.#mask;
  }

  addHashes(hashes: readonly number[]): void {
    for (const hash of hashes) this.addHash(hash);
  }
}

/** Index of the greatest score; the first one if several are equal. */
export function indexOfGreatest(scores: Float32Array): number {
  let best = 0;
  for (let c = 1; c < scores.length; c++) if (scores[c] > scores[best]) best = c;
  return best;
}

const seed = 0x811c9dc5;
const prime = 0x01000193;

function append(state: number, text: string): number {
  let hash = state;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), prime);
  return hash;
}

/**
 * FNV-1a over the UTF-16 units of the parts in order, then mixed, because its low bits are poor.
 * @returns 0 to 2^32-1
 */
export function featureHash(first: string, second = '', third = '', fourth = ''): number {
  let hash = append(append(append(append(seed, first), second), third), fourth);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  return (hash ^ (hash >>> 12)) >>> 0;
}
