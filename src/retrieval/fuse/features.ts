import type { IndexView } from '../index/index-view.ts';
import type { SearchPlan } from '../plan.ts';
import {
  type ContextPart,
  contextParts,
  type FoundSignal,
  isFound,
  type Reached,
  type Scale,
  type Signal,
} from './signal.ts';
import type { Weights } from './weights.ts';

/** What one signal gave to one memory through one part. */
export interface Contribution {
  readonly signal: string;
  readonly part: ContextPart;
  readonly group: string;
  /** As an explanation calls it. */
  readonly phrase: string;
  readonly value: number;
}

/** One signal through one part: a number for each row, and what it weighs. */
export interface Feature extends Omit<Contribution, 'value'> {
  /** A contribution is `factor * score * perScore`. */
  readonly factor: number;
  readonly perScore: number;
  /** Scores by place of the part; absent for a signal that rates rows. */
  readonly column?: Float64Array;
  readonly rate?: (rows: Int32Array, count: number, out: Float64Array) => void;
}

export interface FeaturesInput {
  readonly plan: Pick<SearchPlan, 'context' | 'factors'>;
  readonly view: IndexView;
  readonly signals: readonly Signal[];
  readonly weights: Weights;
}

/** Every part of every signal that weighs anything, in the order of the weights. */
export function featuresOf(input: FeaturesInput, reached: Omit<Reached, 'unitOf'>): Feature[] {
  const byName = new Map(input.signals.map((signal) => [signal.name, signal]));
  const units = new Map<string, number>();
  return Object.keys(input.weights).flatMap((name) => {
    const signal = byName.get(name);
    if (!signal) return [];
    if (!isFound(signal))
      return weighedParts(input, signal).map((feature) => ({
        ...feature,
        perScore: 1,
        rate: signal.rate.bind(signal),
      }));
    const scale = signal.scale({ ...reached, unitOf: (other) => units.get(other) ?? 0 });
    units.set(name, scale.unit);
    return weighedParts(input, signal).map((feature) =>
      feature.part === 'conversation'
        ? { ...feature, ...ofConversations(signal, scale, input.view, reached.rows) }
        : {
            ...feature,
            factor: scale.perWeight * feature.factor,
            perScore: scale.perScore,
            column: signal.scores,
          },
    );
  });
}

/** The parts through which a signal counts in this search, with their weights as factors. */
function weighedParts(
  { plan, weights }: FeaturesInput,
  { name, group, contextGroup = group, parts }: Signal,
): Omit<Feature, 'perScore'>[] {
  const asked = plan.context ? contextParts : (['self'] as const);
  return asked.flatMap((part) => {
    const factor = (plan.factors[group] ?? 1) * (weights[name][part] ?? 0);
    const phrase = parts[part];
    if (factor === 0 || phrase === undefined) return [];
    return [{ signal: name, part, group: part === 'self' ? group : contextGroup, phrase, factor }];
  });
}

function ofConversations(
  signal: FoundSignal,
  { best }: Scale,
  { index }: IndexView,
  rows: Int32Array,
): Pick<Feature, 'column' | 'perScore'> {
  const column = signal.conversationScores?.() ?? new Float64Array(index.conversations.size);
  const { conversation } = index.columns;
  let most = 0;
  for (let i = 0; i < rows.length; i++) most = Math.max(most, column[conversation[rows[i]]]);
  return { column, perScore: best / (most || 1) };
}
