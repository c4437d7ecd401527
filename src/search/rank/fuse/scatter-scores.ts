import { documentTraits } from '../../../search-index/ports.ts';
import type { IndexView, Links } from '../../../search-index/rows/index-view.ts';
import type { ContextPart } from '../../arms/signal.ts';
import type { ScoredWithin } from './rows-to-score.ts';
import type { Summand } from './summands.ts';

type Weighed = Record<Exclude<ContextPart, 'conversation'>, number>;

/** A signal that found rows, and the contribution of each of its parts for a score of 1. */
interface Giver {
  readonly column: Float64Array;
  readonly found: ArrayLike<number>;
  readonly weighed: Weighed;
}

/** Share of found rows in scored rows beyond which each scored row looks at its neighbours instead. */
const denseShare = 1 / 8;

/**
 * Adds the contributions of signals that found rows, to these rows and their neighbours. If few rows were
 * found, each found row gives to its neighbours. If many were, each scored row takes from its neighbours, of
 * two signals at once and without a test whether a neighbour was found, which a processor could not predict.
 */
export function addGiven(summands: readonly Summand[], within: ScoredWithin, sums: Float64Array): void {
  const { view, rows, links } = within;
  const dense: Giver[] = [];
  for (const giver of giversOf(summands)) {
    if (giver.found.length > rows.length * denseShare) dense.push(giver);
    else give(giver, view, links, sums);
  }
  for (let i = 0; i < dense.length; i += 2) take(dense[i], dense[i + 1], within, sums);
}

function giversOf(summands: readonly Summand[]): Giver[] {
  const givers = new Map<string, Giver>();
  for (const { signal, part, factor, perScore, column, found } of summands) {
    if (!column || !found || part === 'conversation') continue;
    const giver = givers.get(signal) ?? { column, found, weighed: noWeights() };
    givers.set(signal, giver);
    giver.weighed[part] += factor * perScore;
  }
  return [...givers.values()];
}

function noWeights(): Weighed {
  return { self: 0, before: 0, after: 0, twoBefore: 0, twoAfter: 0, questionBefore: 0, answerAfter: 0 };
}

const { question } = documentTraits;
const questionBit = 31 - Math.clz32(question);
const nothing: Pick<Giver, 'weighed'> = { weighed: noWeights() };

/**
 * A negative link, read as unsigned, is larger than any
 * row, like a link to a row added since the search began.
 */
function take(
  first: Giver,
  second: Giver | undefined,
  { view, rows, links }: ScoredWithin,
  sums: Float64Array,
): void {
  const { size } = view;
  const { traits } = view.index.columns;
  const x = first.column;
  const y = second?.column ?? x;
  const ofX = first.weighed;
  const ofY = (second ?? nothing).weighed;
  if (!links) {
    for (let i = 0; i < rows.length; i++) sums[rows[i]] += ofX.self * x[rows[i]] + ofY.self * y[rows[i]];
    return;
  }
  const { previous, next } = links;
  const [xSelf, xBefore, xAfter, xTwoBefore, xTwoAfter] = own(ofX);
  const [ySelf, yBefore, yAfter, yTwoBefore, yTwoAfter] = own(ofY);
  const [xOfQuestion, xToQuestion] = [ofX.questionBefore, ofX.answerAfter];
  const [yOfQuestion, yToQuestion] = [ofY.questionBefore, ofY.answerAfter];
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i];
    let sum = xSelf * x[row] + ySelf * y[row];
    const before = previous[row];
    if (before >>> 0 < size) {
      const is = (traits[before] >> questionBit) & 1;
      sum += (xBefore + xOfQuestion * is) * x[before] + (yBefore + yOfQuestion * is) * y[before];
      const two = previous[before];
      if (two >>> 0 < size) sum += xTwoBefore * x[two] + yTwoBefore * y[two];
    }
    const after = next[row];
    if (after >>> 0 < size) {
      const is = (traits[row] >> questionBit) & 1;
      sum += (xAfter + xToQuestion * is) * x[after] + (yAfter + yToQuestion * is) * y[after];
      const two = next[after];
      if (two >>> 0 < size) sum += xTwoAfter * x[two] + yTwoAfter * y[two];
    }
    sums[row] += sum;
  }
}

function own({ self, before, after, twoBefore, twoAfter }: Weighed) {
  return [self, before, after, twoBefore, twoAfter] as const;
}

function give(
  { column, found, weighed }: Giver,
  { index, size }: IndexView,
  links: Links | undefined,
  sums: Float64Array,
): void {
  const { self, before, after, twoBefore, twoAfter, questionBefore, answerAfter } = weighed;
  for (let i = 0; i < found.length; i++) sums[found[i]] += self * column[found[i]];
  if (!links) return;
  const along = { column, found, size, traits: index.columns.traits };
  giveAlong({ ...along, links: links.next, one: before, two: twoBefore, ofQuestion: questionBefore }, sums);
  giveAlong({ ...along, links: links.previous, one: after, two: twoAfter, toQuestion: answerAfter }, sums);
}

/** One direction in which rows give to their neighbours one and two places away. */
interface Along {
  readonly column: Float64Array;
  readonly found: ArrayLike<number>;
  readonly size: number;
  readonly traits: Uint8Array;
  readonly links: Int32Array;
  readonly one: number;
  readonly two: number;
  /** Extra contribution of a question to its neighbour, and to a question from its neighbour. */
  readonly ofQuestion?: number;
  readonly toQuestion?: number;
}

/** Links are read as in `take`. */
function giveAlong(
  { column, found, size, traits, links, one, two, ofQuestion = 0, toQuestion = 0 }: Along,
  sums: Float64Array,
): void {
  for (let i = 0; i < found.length; i++) {
    const row = found[i];
    const score = column[row];
    const near = links[row];
    if (score === 0 || near >>> 0 >= size) continue;
    let weight = one;
    if ((traits[row] & question) !== 0) weight += ofQuestion;
    if ((traits[near] & question) !== 0) weight += toQuestion;
    sums[near] += weight * score;
    const far = two === 0 ? -1 : links[near];
    if (far >>> 0 < size) sums[far] += two * score;
  }
}
