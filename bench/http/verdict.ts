/** One figure and its target. `ours` and `base` are medians over rounds, in `unit`. */
export interface Verdict {
  what: string;
  unit: string;
  ours: number;
  /** Name of `base`: the floor, or the same service with less work. */
  against: string;
  base: number;
  ratio: number;
  target: string;
  reached: boolean;
}

export interface Comparison {
  what: string;
  unit: 'ms' | '/s';
  ours: number;
  against: string;
  base: number;
}

/** For durations: ours may take at most `max` times as long. */
export function atMost(max: number, comparison: Comparison): Verdict {
  const ratio = ratioOf(comparison);
  return { ...comparison, ratio, target: `<= ${max}`, reached: ratio <= max };
}

/** For rates: ours must reach at least the share `min`. */
export function atLeast(min: number, comparison: Comparison): Verdict {
  const ratio = ratioOf(comparison);
  return { ...comparison, ratio, target: `>= ${Number(min.toFixed(2))}`, reached: ratio >= min };
}

function ratioOf({ what, ours, base }: Comparison): number {
  if (!(ours > 0 && base > 0)) throw new Error(`hollow: ${what} measured ${ours} against ${base}`);
  return ours / base;
}

export function toCells(verdict: Verdict): string[] {
  return [
    verdict.what,
    `${format(verdict.ours)} ${verdict.unit}`,
    verdict.against,
    `${format(verdict.base)} ${verdict.unit}`,
    verdict.ratio.toFixed(2),
    verdict.target,
    verdict.reached ? 'ok' : 'FAIL',
  ];
}

function format(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 3);
}

/** Result of one part: figures with targets, and further values for the report. */
export interface StageResult {
  verdicts: Verdict[];
  details: Record<string, unknown>;
}
