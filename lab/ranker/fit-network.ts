import { featureCount, featureNames } from '../../src/search/rank/network/feature-names.ts';
import {
  type Network,
  scoresOf as networkScores,
  normalShare,
  standardise,
} from '../../src/search/rank/network/network.ts';
import { randomFrom } from '../../test/support/random.ts';
import { candidatesOf, type LabelledQuestion } from './labelled.ts';

export interface WeighedSet {
  readonly weight: number;
  readonly questions: readonly LabelledQuestion[];
}

export interface FitOptions {
  readonly seed: number;
  readonly steps: number;
}

const hiddenUnits = 16;
/** Weight decay; much stronger for the network, which makes it generalise to other talk. */
const decay = { linear: 3e-4, network: 2e-2 } as const;
const rates = { linear: 0.02, network: 0.005 } as const;
/** Minimum deviation: a smaller one would make the rare values of a sparse feature huge. */
const deviationMin = 0.03;
const deviationOfTime = 0.3;
/** Mean and deviation are computed from every seventh row. */
const everyRow = 7;

/**
 * Fits with Adam over all questions at once, so that each piece of evidence ranks
 * before all other candidates. The same sets and seed give the same weights.
 */
export function fitNetwork(sets: readonly WeighedSet[], { seed, steps }: FitOptions): Network {
  const scaling = scalingOf(sets);
  const data = sets.map((set) => batchOf(set, scaling));
  const parameters = initial(seed);
  const adam = new Adam(parameters.length);
  const gradient = new Float64Array(parameters.length);
  for (let step = 1; step <= steps; step++) {
    gradient.fill(0);
    for (const batch of data) addGradient(batch, parameters, gradient);
    for (let i = 0; i < parameters.length; i++)
      gradient[i] += 2 * (i < featureCount ? decay.linear : decay.network) * parameters[i];
    adam.step(parameters, gradient, step);
  }
  return toNetwork(parameters, scaling);
}

/** Scores of a question's candidates. */
export function scoresOf(network: Network, question: LabelledQuestion): Float64Array {
  const z = new Float64Array(question.values.length);
  for (let at = 0; at < z.length; at += featureCount)
    standardise(network, question.values, undefined, { out: z, at });
  return networkScores(network, z);
}

type Scaling = Pick<Network, 'mean' | 'deviation'>;

function scalingOf(sets: readonly WeighedSet[]): Scaling {
  const sums = new Float64Array(featureCount);
  const squares = new Float64Array(featureCount);
  let rows = 0;
  let at = 0;
  for (const { questions } of sets)
    for (const question of questions)
      for (let i = 0; i < candidatesOf(question); i++) {
        if (at++ % everyRow !== 0) continue;
        rows++;
        for (let f = 0; f < featureCount; f++) {
          const value = question.values[i * featureCount + f];
          sums[f] += value;
          squares[f] += value * value;
        }
      }
  const mean = Array.from(sums, (sum) => sum / rows);
  const deviation = featureNames.map((name, f) =>
    name === 'time'
      ? deviationOfTime
      : Math.max(deviationMin, Math.sqrt(Math.max(0, squares[f] / rows - mean[f] ** 2))),
  );
  return { mean, deviation };
}

interface Batch {
  readonly weight: number;
  readonly z: Float32Array;
  readonly isEvidence: Uint8Array;
  /** Offset of the first row of each question, and the end of the last one. */
  readonly starts: readonly number[];
}

function batchOf({ weight, questions }: WeighedSet, { mean, deviation }: Scaling): Batch {
  const kept = questions.filter(({ isEvidence }) => isEvidence.includes(1));
  const starts = [0];
  for (const question of kept) starts.push(starts[starts.length - 1] + candidatesOf(question));
  const count = starts[starts.length - 1];
  const z = new Float32Array(count * featureCount);
  const isEvidence = new Uint8Array(count);
  for (const [q, question] of kept.entries()) {
    isEvidence.set(question.isEvidence, starts[q]);
    for (let i = 0; i < question.values.length; i++)
      z[starts[q] * featureCount + i] =
        (question.values[i] - mean[i % featureCount]) / deviation[i % featureCount];
  }
  return { weight: weight / Math.max(1, kept.length), z, isEvidence, starts };
}

// Parameters in one list: linear; hidden by feature, a row of units each; biases of units; output; its bias.
const hiddenAt = featureCount;
const biasAt = hiddenAt + featureCount * hiddenUnits;
const outputAt = biasAt + hiddenUnits;
const outputBiasAt = outputAt + hiddenUnits;

function initial(seed: number): Float64Array {
  const random = randomFrom(seed);
  const uniform = (most: number) => (2 * random.float() - 1) * most;
  const parameters = new Float64Array(outputBiasAt + 1);
  for (let i = hiddenAt; i < outputAt; i++) parameters[i] = uniform(1 / Math.sqrt(featureCount));
  for (let i = outputAt; i <= outputBiasAt; i++) parameters[i] = uniform(1 / Math.sqrt(hiddenUnits));
  return parameters;
}

function addGradient(batch: Batch, parameters: Float64Array, gradient: Float64Array): void {
  const { starts } = batch;
  const most = Math.max(...starts.slice(1).map((end, q) => end - starts[q]));
  const work: Work = {
    sums: new Float64Array(most * hiddenUnits),
    shares: new Float64Array(most * hiddenUnits),
    scores: new Float64Array(most),
    slopes: new Float64Array(most),
  };
  for (let q = 0; q + 1 < starts.length; q++) {
    const [from, to] = [starts[q], starts[q + 1]];
    forward(batch.z, from, to, parameters, work);
    lossSlopes(batch.isEvidence.subarray(from, to), batch.weight, work);
    backward(batch.z, from, to, parameters, work, gradient);
  }
}

interface Work {
  readonly sums: Float64Array;
  readonly shares: Float64Array;
  readonly scores: Float64Array;
  readonly slopes: Float64Array;
}

function forward(
  z: Float32Array,
  from: number,
  to: number,
  p: Float64Array,
  { sums, shares, scores }: Work,
): void {
  const acc = new Float64Array(hiddenUnits);
  for (let row = from; row < to; row++) {
    const at = row * featureCount;
    let score = p[outputBiasAt];
    for (let h = 0; h < hiddenUnits; h++) acc[h] = p[biasAt + h];
    for (let f = 0; f < featureCount; f++) {
      const value = z[at + f];
      score += p[f] * value;
      const weights = hiddenAt + f * hiddenUnits;
      for (let h = 0; h < hiddenUnits; h++) acc[h] += p[weights + h] * value;
    }
    const own = (row - from) * hiddenUnits;
    for (let h = 0; h < hiddenUnits; h++) {
      const share = normalShare(acc[h]);
      sums[own + h] = acc[h];
      shares[own + h] = share;
      score += p[outputAt + h] * acc[h] * share;
    }
    scores[row - from] = score;
  }
}

/**
 * Gradient of the loss: the mean over evidence of -log(e^own /
 * (e^own + sum of e^other)), others being non-evidence.
 */
function lossSlopes(isEvidence: Uint8Array, weight: number, { scores, slopes }: Work): void {
  const count = isEvidence.length;
  let most = Number.NEGATIVE_INFINITY;
  let evidence = 0;
  for (let i = 0; i < count; i++) {
    most = Math.max(most, scores[i]);
    evidence += isEvidence[i];
  }
  let others = 0;
  for (let i = 0; i < count; i++) if (isEvidence[i] === 0) others += Math.exp(scores[i] - most);
  let perOther = 0;
  const scale = weight / evidence;
  for (let i = 0; i < count; i++) {
    if (isEvidence[i] === 0) continue;
    const whole = others + Math.exp(scores[i] - most);
    perOther += 1 / whole;
    slopes[i] = -scale * (others / whole);
  }
  for (let i = 0; i < count; i++)
    if (isEvidence[i] === 0) slopes[i] = scale * perOther * Math.exp(scores[i] - most);
}

function backward(
  z: Float32Array,
  from: number,
  to: number,
  p: Float64Array,
  { sums, shares, slopes }: Work,
  gradient: Float64Array,
): void {
  const perUnit = new Float64Array(hiddenUnits);
  for (let row = from; row < to; row++) {
    const slope = slopes[row - from];
    const at = row * featureCount;
    const own = (row - from) * hiddenUnits;
    gradient[outputBiasAt] += slope;
    for (let h = 0; h < hiddenUnits; h++) {
      const sum = sums[own + h];
      const share = shares[own + h];
      gradient[outputAt + h] += slope * sum * share;
      perUnit[h] = slope * p[outputAt + h] * (share + sum * density(sum));
      gradient[biasAt + h] += perUnit[h];
    }
    for (let f = 0; f < featureCount; f++) {
      const value = z[at + f];
      gradient[f] += slope * value;
      const weights = hiddenAt + f * hiddenUnits;
      for (let h = 0; h < hiddenUnits; h++) gradient[weights + h] += perUnit[h] * value;
    }
  }
}

const perRootOfTwoPi = 1 / Math.sqrt(2 * Math.PI);

function density(x: number): number {
  return perRootOfTwoPi * Math.exp(-0.5 * x * x);
}

class Adam {
  readonly #first: Float64Array;
  readonly #second: Float64Array;

  constructor(count: number) {
    this.#first = new Float64Array(count);
    this.#second = new Float64Array(count);
  }

  step(parameters: Float64Array, gradient: Float64Array, step: number): void {
    for (let i = 0; i < parameters.length; i++) {
      this.#first[i] = 0.9 * this.#first[i] + 0.1 * gradient[i];
      this.#second[i] = 0.999 * this.#second[i] + 0.001 * gradient[i] ** 2;
      const first = this.#first[i] / (1 - 0.9 ** step);
      const second = this.#second[i] / (1 - 0.999 ** step);
      const rate = i < featureCount ? rates.linear : rates.network;
      parameters[i] -= (rate * first) / (Math.sqrt(second) + 1e-8);
    }
  }
}

function toNetwork(parameters: Float64Array, { mean, deviation }: Scaling): Network {
  const units = Array.from({ length: hiddenUnits }, (_, h) => h);
  return {
    mean: mean.map(digits),
    deviation: deviation.map(digits),
    linear: Array.from(parameters.subarray(0, featureCount), digits),
    hidden: units.map((h) =>
      Array.from({ length: featureCount }, (_, f) => digits(parameters[hiddenAt + f * hiddenUnits + h])),
    ),
    hiddenBias: units.map((h) => digits(parameters[biasAt + h])),
    output: units.map((h) => digits(parameters[outputAt + h])),
    outputBias: digits(parameters[outputBiasAt]),
  };
}

/**
 * Rounds to four significant digits, so that the last bit of
 * a sum does not change the file; ranks need no more.
 */
function digits(value: number): number {
  return Number(value.toPrecision(4)) || 0;
}
