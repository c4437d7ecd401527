/** A part of a score; without a value where the service gives a sentence alone. */
export interface ScorePart {
  readonly label: string;
  readonly value: number | undefined;
}

/** Reads "its own words +0.126"; the largest part first, whatever its sign. */
export function partsOfScore(factors: readonly string[]): ScorePart[] {
  const parts = factors.map((factor) => {
    const [, label, value] = /^(.*?) ([+-]?\d+(?:\.\d+)?)$/.exec(factor) ?? [undefined, factor, undefined];
    return { label: label ?? factor, value: value === undefined ? undefined : Number(value) };
  });
  return parts.toSorted((a, b) => Math.abs(b.value ?? 0) - Math.abs(a.value ?? 0));
}
