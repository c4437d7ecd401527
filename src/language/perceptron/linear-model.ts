import { LanguageFileError, readJsonFile, readLanguageFile } from '../language-file.ts';

/** Content of the JSON file next to the weights. */
interface Meta {
  /** The hash table has 2^bits rows. */
  readonly bits: number;
  readonly classes: number;
  /** The largest absolute weight. */
  readonly max: number;
}

const int8Max = 127;

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

  private constructor(mask: number, classes: number, weights: Float32Array) {
    this.mask = mask;
    this.classes = classes;
    this.#weights = weights;
  }

  /** @param path of both files, without `.bin` and `.json` @throws LanguageFileError */
  static load(path: string): LinearModel {
    const { bits, classes, max } = readJsonFile<Meta>(`${path}.json`);
    const file = readLanguageFile(`${path}.bin`);
    const rows = 2 ** bits;
    if (!(max > 0) || file.length !== rows + classes)
      throw new LanguageFileError(`${path}.bin`, `has ${file.length} weights instead of ${rows + classes}`);
    const weights = new Float32Array(file.length);
    for (const [i, q] of new Int8Array(file.buffer, file.byteOffset, file.length).entries())
      weights[i] = ((Math.sign(q) * q * q) / int8Max ** 2) * max;
    return new LinearModel(rows - 1, classes, weights);
  }

  /** Sets the score of each class to the sum of the weights of the first `count` features. */
  score(features: Int32Array, count: number, scores: Float32Array): void {
    const weights = this.#weights;
    const classes = this.classes;
    scores.fill(0);
    for (let i = 0; i < count; i++) {
      const row = features[i];
      for (let c = 0; c < classes; c++) scores[c] += weights[row + c];
    }
  }
}
