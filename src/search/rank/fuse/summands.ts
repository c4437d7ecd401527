import type { IndexView } from '../../../search-index/rows/index-view.ts';
import {
  type ContextPart,
  contextParts,
  type FoundSignal,
  isFound,
  type RatedSignal,
  type Reached,
  type Scale,
  type Signal,
} from '../../arms/signal.ts';
import type { SearchPlan } from '../../query/plan.ts';
import type { Weights } from './weights.ts';

/** One signal through one part: a number for each row, and its weight. */
export interface Summand {
  readonly signal: string;
  readonly part: ContextPart;
  readonly group: string;
  /** Its name in an explanation. */
  readonly phrase: string;
  /** The contribution to a row is `factor * score * perScore`. */
  readonly factor: number;
  readonly perScore: number;
  /** Scores by place of the part; absent for a signal that rates rows. */
  readonly column: Float64Array | undefined;
  /** The rows with a value other than 0 in `column`, and perhaps others; undefined if they are not listed. */
  readonly found?: ArrayLike<number>;
  readonly rate: RatedSignal['rate'] | undefined;
}

export interface SummandsInput {
  readonly plan: Pick<SearchPlan, 'context' | 'factors'>;
  readonly view: IndexView;
  readonly signals: readonly Signal[];
  readonly weights: Weights;
}

/** Every weighted part of every signal, in the order of the weights. */
export function summandsOf(input: SummandsInput, reached: Omit<Reached, 'unitOf'>): Summand[] {
  const units = new Map<string, number>();
  const unitOf = (name: string) => units.get(name) ?? 0;
  const summands: Summand[] = [];
  for (const name of Object.keys(input.weights)) {
    const signal = input.signals.find(({ spec }) => spec.name === name);
    if (!signal) continue;
    const scale = isFound(signal)
      ? signal.scale({ rows: reached.rows, passes: reached.passes, isJoined: reached.isJoined, unitOf })
      : undefined;
    units.set(name, scale?.unit ?? 0);
    addParts(summands, input, signal, (part, factor) => {
      if (!isFound(signal) || !scale)
        return summandOf(signal, part, { factor, perScore: 1, column: undefined });
      if (part !== 'conversation')
        return summandOf(signal, part, {
          factor: scale.perWeight * factor,
          perScore: scale.perScore,
          column: signal.scores,
        });
      const { column, perScore } = ofConversations(signal, scale, input.view, reached.rows);
      return summandOf(signal, part, { factor, perScore, column });
    });
  }
  return summands;
}

/** The score of a signal, neither weighed nor scaled. */
export function asItIs(signal: FoundSignal): Summand {
  return summandOf(signal, 'self', { factor: 1, perScore: 1, column: signal.scores });
}

/** The parts through which a signal counts in this search, with their weights as factors. */
function addParts(
  summands: Summand[],
  { plan, weights }: SummandsInput,
  { spec: { name, group, parts } }: Signal,
  toSummand: (part: ContextPart, factor: number) => Summand,
): void {
  const multiplier = plan.factors[group] ?? 1;
  for (const part of plan.context ? contextParts : ownPart) {
    const factor = multiplier * (weights[name][part] ?? 0);
    if (factor !== 0 && parts[part] !== undefined) summands.push(toSummand(part, factor));
  }
}

const ownPart = ['self'] as const;

function summandOf(
  signal: Signal,
  part: ContextPart,
  { factor, perScore, column }: Pick<Summand, 'factor' | 'perScore' | 'column'>,
): Summand {
  const { name, group, contextGroup = group, parts } = signal.spec;
  return {
    signal: name,
    part,
    group: part === 'self' ? group : contextGroup,
    phrase: parts[part] ?? '',
    factor,
    perScore,
    column,
    found: isFound(signal) && part !== 'conversation' ? signal.rows : undefined,
    rate: isFound(signal) ? undefined : signal.rate,
  };
}

function ofConversations(
  signal: FoundSignal,
  { best }: Scale,
  { index }: IndexView,
  rows: Int32Array,
): Pick<Summand, 'perScore'> & { readonly column: Float64Array } {
  const column = signal.conversationScores?.() ?? new Float64Array(index.conversations.size);
  const { conversation } = index.columns;
  let most = 0;
  for (let i = 0; i < rows.length; i++) {
    const score = column[conversation[rows[i]]];
    if (score > most) most = score;
  }
  return { column, perScore: best / (most || 1) };
}
