/** One example: its values in a fixed order, its label and its weight. */
export interface Weighed {
  readonly values: readonly number[];
  readonly isRight: boolean;
  readonly weight: number;
}

export interface Logistic {
  readonly bias: number;
  readonly weights: readonly number[];
}

const rounds = 15;
/** Minimum deviation for standardisation, for values that hardly vary. */
const deviationMin = 0.03;

/**
 * Logistic regression by Newton's method with the penalty `ridge`
 * on the weights of standardised values; deterministic.
 */
export function fitLogistic(examples: readonly Weighed[], ridge: number): Logistic {
  const count = examples[0].values.length;
  const means = columns(count, (j) => mean(examples.map(({ values }) => values[j])));
  const deviations = columns(count, (j) =>
    Math.max(deviationMin, Math.sqrt(mean(examples.map(({ values }) => (values[j] - means[j]) ** 2)))),
  );
  const rows = examples.map(({ values }) => [1, ...values.map((v, j) => (v - means[j]) / deviations[j])]);
  let fitted = new Array<number>(count + 1).fill(0);
  for (let round = 0; round < rounds; round++) {
    const step = newtonStep(rows, examples, fitted, ridge);
    fitted = fitted.map((weight, j) => weight + step[j]);
  }
  const [bias, ...scaled] = fitted;
  const weights = scaled.map((weight, j) => weight / deviations[j]);
  return { bias: bias - weights.reduce((sum, weight, j) => sum + weight * means[j], 0), weights };
}

function newtonStep(
  rows: readonly number[][],
  examples: readonly Weighed[],
  fitted: readonly number[],
  ridge: number,
): number[] {
  const size = fitted.length;
  const gradient = fitted.map((weight, j) => (j === 0 ? 0 : -ridge * weight));
  const hessian = columns(size, (i) => columns(size, (j) => (i === j && i > 0 ? ridge : 0)));
  for (const [n, row] of rows.entries()) {
    const { isRight, weight } = examples[n];
    const p = 1 / (1 + Math.exp(-row.reduce((sum, value, j) => sum + value * fitted[j], 0)));
    for (let i = 0; i < size; i++) {
      gradient[i] += weight * ((isRight ? 1 : 0) - p) * row[i];
      for (let j = 0; j < size; j++) hessian[i][j] += weight * p * (1 - p) * row[i] * row[j];
    }
  }
  return solve(hessian, gradient);
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

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
