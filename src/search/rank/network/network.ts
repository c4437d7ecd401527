/** Weights of a linear part and of one hidden layer, over standardised features in the order of `mean`. */
export interface Network {
  readonly mean: readonly number[];
  /** Standard deviations, none below the minimum of the training. */
  readonly deviation: readonly number[];
  readonly linear: readonly number[];
  /** One row for each hidden unit. */
  readonly hidden: readonly (readonly number[])[];
  readonly hiddenBias: readonly number[];
  readonly output: readonly number[];
  readonly outputBias: number;
}

/** A trained network. */
export interface NetworkModel extends Network {
  /** Units of the weighted sum for each unit of the network, so that both spread candidates equally. */
  readonly scale: number;
}

/** Score of one candidate, split into contributions of features: these and `rest` add up to `score`. */
export interface NetworkScore {
  readonly score: number;
  /** Equal for all candidates with the same gates. */
  readonly rest: number;
}

/**
 * Distance of each feature from its mean in standard
 * deviations, times its factor; written to `out` from `at` on.
 */
export function standardise(
  { mean, deviation }: Network,
  features: ArrayLike<number>,
  factors: ArrayLike<number> | undefined,
  { out, at }: { readonly out: Float64Array; readonly at: number },
): void {
  for (let i = 0; i < mean.length; i++) {
    const value = (features[at + i] - mean[i]) / deviation[i];
    out[at + i] = factors === undefined ? value : value * factors[i];
  }
}

/**
 * `linear . z + output . gelu(hidden z + hiddenBias) + outputBias` of the features from
 * `at` on. As gelu(a) is a times the share of the normal distribution below a, each
 * unit is a sum over features times that share: the contribution of a feature is exact.
 * @param given receives the contribution of each feature, from its beginning
 */
export function scoreOf(network: Network, z: Float64Array, at: number, given: Float64Array): NetworkScore {
  const { linear, hidden, hiddenBias, output, outputBias } = network;
  const count = linear.length;
  let score = outputBias;
  let rest = outputBias;
  for (let i = 0; i < count; i++) {
    given[i] = linear[i] * z[at + i];
    score += given[i];
  }
  for (let unit = 0; unit < hidden.length; unit++) {
    const weights = hidden[unit];
    let sum = hiddenBias[unit];
    for (let i = 0; i < count; i++) sum += weights[i] * z[at + i];
    const opened = output[unit] * normalShare(sum);
    for (let i = 0; i < count; i++) given[i] += opened * weights[i] * z[at + i];
    rest += opened * hiddenBias[unit];
    score += opened * sum;
  }
  return { score, rest };
}

/** Score of each row of `z`, without contributions. */
export function scoresOf(network: Network, z: Float64Array): Float64Array {
  const { linear, hidden, hiddenBias, output, outputBias } = network;
  const count = linear.length;
  const scores = new Float64Array(z.length / count).fill(outputBias);
  addProducts(linear, z, scores);
  const sums = new Float64Array(scores.length);
  for (let unit = 0; unit < hidden.length; unit++) {
    sums.fill(hiddenBias[unit]);
    addProducts(hidden[unit], z, sums);
    for (let i = 0; i < sums.length; i++) scores[i] += output[unit] * sums[i] * normalShare(sums[i]);
  }
  return scores;
}

function addProducts(weights: readonly number[], z: Float64Array, sums: Float64Array): void {
  const count = weights.length;
  for (let i = 0, at = 0; i < sums.length; i++, at += count) {
    let sum = 0;
    for (let f = 0; f < count; f++) sum += weights[f] * z[at + f];
    sums[i] += sum;
  }
}

/** Share of the normal distribution below `x`. */
export function normalShare(x: number): number {
  return 0.5 * (1 + errorFunction(x * Math.SQRT1_2));
}

const a = [0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429] as const;
const p = 0.3275911;

/** Abramowitz and Stegun 7.1.26: the error is at most 1.5e-7. */
function errorFunction(x: number): number {
  const t = 1 / (1 + p * Math.abs(x));
  const series = ((((a[4] * t + a[3]) * t + a[2]) * t + a[1]) * t + a[0]) * t;
  const value = 1 - series * Math.exp(-x * x);
  return x < 0 ? -value : value;
}
