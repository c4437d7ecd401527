import type { FactBasis } from './fact.ts';

/** Where the parser was not sure at all, and by how much more a fact is right the surer it was. */
const [least, gain] = [0.55, 0.4];
/** A margin that brings all but a third of the gain. */
const scale = 2.5;
const byBasis: Readonly<Record<FactBasis, number>> = { direct: 1, planned: 0.7, hedged: 0.5 };

/** How likely a fact stands in its text as extracted, times what its basis leaves of it. 0 to 0.95 */
export function confidenceOf(margin: number, basis: FactBasis): number {
  const faithful = least + gain * (1 - Math.exp(-Math.max(margin, 0) / scale));
  return Math.round(1000 * faithful * byBasis[basis]) / 1000;
}
