/** One example: its values in a fixed order, its label and its weight. */
export interface Weighed {
  readonly values: readonly number[];
  readonly isRight: boolean;
  readonly weight: number;
}

/** Two results of one question; the values of the wrong one are subtracted from those of the right one. */
export interface WeighedPair {
  readonly difference: readonly number[];
  readonly weight: number;
}

export interface Logistic {
  readonly bias: number;
  readonly weights: readonly number[];
}

const rounds = 15;
/** A round whose greatest step is smaller is the last. */
const stepMin = 1e-7;
/** Minimum deviation for standardisation, for values that hardly vary. */
const deviationMin = 0.03;

/**
 * Logistic regression by Newton's method with the penalty `ridge` on the weights of standardised values; deterministic.
 * The same weights also order pairs (Bradley and Terry 1952): a right result of a question above a wrong one.
 */
export function fitLogistic(
  examples: readonly Weighed[],
  pairs: readonly WeighedPair[],
  ridge: number,
): Logistic {
  const count = examples[0].values.length;
  const means = columns(count, (j) => mean(examples, ({ values }) => values[j]));
  const deviations = columns(count, (j) =>
    Math.max(deviationMin, Math.sqrt(mean(examples, ({ values }) => (values[j] - means[j]) ** 2))),
  );
  const rows = [
    ...examples.map(({ values, isRight, weight }) => ({
      row: Float64Array.of(1, ...values.map((v, j) => (v - means[j]) / deviations[j])),
      label: isRight ? 1 : 0,
      weight,
    })),
    ...pairs.map(({ difference, weight }) => ({
      row: Float64Array.of(0, ...difference.map((v, j) => v / deviations[j])),
      label: 1,
      weight,
    })),
  ];
  let fitted = new Array<number>(count + 1).fill(0);
  for (let round = 0; round < rounds; round++) {
    const step = newtonStep(rows, fitted, ridge);
    fitted = fitted.map((weight, j) => weight + step[j]);
    if (step.every((each) => Math.abs(each) < stepMin)) break;
  }
  const [bias, ...scaled] = fitted;
  const weights = scaled.map((weight, j) => weight / deviations[j]);
  return { bias: bias - weights.reduce((sum, weight, j) => sum + weight * means[j], 0), weights };
}

interface Row {
  readonly row: Float64Array;
  readonly label: number;
  readonly weight: number;
}

function newtonStep(rows: readonly Row[], fitted: readonly number[], ridge: number): number[] {
  const size = fitted.length;
  const gradient = Float64Array.from(fitted, (weight, j) => (j === 0 ? 0 : -ridge * weight));
  const lower = new Float64Array(size * size);
  for (let i = 1; i < size; i++) lower[i * size + i] = ridge;
  for (const { row, label, weight } of rows) {
    let sum = 0;
    for (let j = 0; j < size; j++) sum += row[j] * fitted[j];
    const p = 1 / (1 + Math.exp(-sum));
    for (let i = 0; i < size; i++) {
      if (row[i] === 0) continue;
      gradient[i] += weight * (label - p) * row[i];
      const factor = weight * p * (1 - p) * row[i];
      for (let j = 0; j <= i; j++) lower[i * size + j] += factor * row[j];
    }
  }
  const hessian = columns(size, (i) => columns(size, (j) => lower[i >= j ? i * size + j : j * size + i]));
  return solve(hessian, [...gradient]);
}

/** Solves a linear system by Gauss-Jordan elimination with pivots. */
function solve(matrix: readonly number[][], right: readonly number[]): number[] {
  const rows = matrix.map((row, i) => [...row, right[i]]);
  for (let i = 0; i < rows.length; i++) {
    const pivot = rows.reduce(
      (best, row, r) => (r > i && Math.abs(row[i]) > Math.abs(rows[best][i]) ? r : best),
      i,
    );
    [rows[i], rows[pivot]] = [rows[pivot], rows[i]];
    for (let r = 0; r < rows.length; r++) {
      if (r === i) continue;
      const factor = rows[r][i] / rows[i][i];
      rows[r] = rows[r].map((value, j) => value - factor * rows[i][j]);
    }
  }
  return rows.map((row, i) => row[rows.length] / row[i]);
}

function columns<T>(count: number, of: (j: number) => T): T[] {
  return Array.from({ length: count }, (_, j) => of(j));
}

function mean<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((sum, item) => sum + of(item), 0) / items.length;
}
