import type { SearchPlan } from '../../query/plan.ts';
import type { Fused } from '../fuse/fuse.ts';
import type { Weights } from '../fuse/weights.ts';
import type { FeatureName } from './feature-names.ts';

/**
 * Parts of signals of the weighted sum that are also
 * features of the network, as scores without their weights.
 */
const names: Readonly<Partial<Record<string, FeatureName>>> = {
  'words.self': 'own',
  'words.before': 'before',
  'words.after': 'after',
  'words.twoBefore': 'twoBefore',
  'words.twoAfter': 'twoAfter',
  'words.questionBefore': 'questionBefore',
  'words.conversation': 'conversation',
  'synonyms.self': 'synonyms',
  'synonyms.before': 'synonymsBefore',
  'synonyms.after': 'synonymsAfter',
  'speaker.self': 'speaker',
  'shortQuestion.self': 'shortQuestion',
  'time.self': 'time',
};

/** Signals that the network replaces; the contributions of others stay. */
const replaced = new Set(['words', 'synonyms', 'semantic', 'speaker', 'question', 'shortQuestion', 'time']);

export function isReplaced(signal: string): boolean {
  return replaced.has(signal);
}

/** Contributions to the weighted sum of candidates. */
export interface SumShares {
  /** Writes the features of the candidate at this index. */
  write(place: number, set: (name: FeatureName, value: number) => void): void;
  /** Sum of the signals that the network does not replace, for the candidate at this index. */
  kept(place: number): number;
  /** Contribution of each summand to each candidate, one candidate after the other. */
  readonly values: Float64Array;
}

const groupOf: Readonly<Partial<Record<string, 'fulltext' | 'vector'>>> = {
  words: 'fulltext',
  synonyms: 'vector',
};

/** @param weights weights of the sum */
export function sumSharesOf(
  { summands, valuesOf }: Fused,
  rows: readonly number[],
  weights: Weights,
  factors: SearchPlan['factors'],
): SumShares {
  const values = valuesOf(rows);
  const count = summands.length;
  const named = summands.flatMap(({ signal, part }, f) => {
    const name = names[`${signal}.${part}`];
    const group = groupOf[signal];
    const weight = (weights[signal]?.[part] ?? 0) * ((group && factors[group]) ?? 1);
    return name && weight !== 0 ? [{ name, f, weight }] : [];
  });
  const others = summands.flatMap(({ signal }, f) => (isReplaced(signal) ? [] : [f]));
  return {
    values,
    write: (place, set) => {
      for (const { name, f, weight } of named) set(name, values[place * count + f] / weight);
    },
    kept: (place) => others.reduce((sum, f) => sum + values[place * count + f], 0),
  };
}
