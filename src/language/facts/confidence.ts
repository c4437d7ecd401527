import type { FactBasis } from './fact.ts';

/** Confidence at margin 0, and the most that a greater margin of the parser adds. */
const [least, gain] = [0.55, 0.4];
/** Margin that adds about two thirds of the gain. */
const scale = 2.5;
const byBasis: Readonly<Record<FactBasis, number>> = { direct: 1, planned: 0.7, hedged: 0.5 };

/** Probability that the text states the extracted fact, times the factor of its basis: 0 to 0.95. */
export function confidenceOf(margin: number, basis: FactBasis): number {
  const faithful = least + gain * (1 - Math.exp(-Math.max(margin, 0) / scale));
  return Math.round(1000 * faithful * byBasis[basis]) / 1000;
}
