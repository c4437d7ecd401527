import type { SearchPlan } from '../../query/plan.ts';
import type { Fused } from '../fuse/fuse.ts';
import type { Weights } from '../fuse/weights.ts';
import type { FeatureName } from './feature-names.ts';

/** Which parts of which signals of the weighted sum are features of the network too, as scores before they are weighed. */
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

/** Signals whose part in the sum the network takes the place of; what others give stays. */
const replaced = new Set(['words', 'synonyms', 'semantic', 'speaker', 'question', 'shortQuestion', 'time']);

export function isReplaced(signal: string): boolean {
  return replaced.has(signal);
}

/** What the weighted sum knows of candidates. */
export interface SumShares {
  /** Writes the features of the candidate at this place. */
  write(place: number, set: (name: FeatureName, value: number) => void): void;
  /** Of a candidate, what signals give that the network does not replace. */
  kept(place: number): number;
  /** For each candidate what each feature of the sum gave. */
  readonly values: Float64Array;
}

const groupOf: Readonly<Partial<Record<string, 'fulltext' | 'vector'>>> = {
  words: 'fulltext',
  synonyms: 'vector',
};

/** @param weights of the sum */
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
