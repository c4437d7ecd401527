import type { IndexView, Links } from '../index/index-view.ts';
import { documentTraits } from '../ports.ts';
import type { Feature } from './features.ts';
import { blockRows } from './places.ts';
import type { ContextPart } from './signal.ts';

/** What rows are scored within. */
export interface ScoredWithin {
  readonly view: IndexView;
  /** Those that are scored. */
  readonly rows: Int32Array;
  /** Absent where memories are judged alone. */
  readonly links: Links | undefined;
}

const rated = new Float64Array(blockRows);

/**
 * The sums of all rows but for their last digits, which depend on the order of addition. Not every row looks at what is around
 * it, but those that a signal found give to those around them, all parts in one go: found are few against those scored.
 * @returns by row; of rows that are not scored it says nothing
 */
export function estimatesOf(features: readonly Feature[], within: ScoredWithin): Float64Array {
  const { view, rows, links } = within;
  const { conversation } = view.index.columns;
  const sums = new Float64Array(view.size);
  for (const signal of giversOf(features)) give(signal, view, links, sums);
  const ofConversation = sumsOfConversations(features, view);
  if (ofConversation)
    for (let i = 0; i < rows.length; i++) sums[rows[i]] += ofConversation[conversation[rows[i]]];
  for (const feature of features) addRated(feature, rows, sums);
  return sums;
}

type Weighed = Record<Exclude<ContextPart, 'conversation'>, number>;

/** A signal that found rows, and what each of its parts gives for a score of 1. */
interface Giver {
  readonly column: Float64Array;
  readonly found: ArrayLike<number>;
  readonly weighed: Weighed;
}

function giversOf(features: readonly Feature[]): Giver[] {
  const givers = new Map<string, Giver>();
  for (const { signal, part, factor, perScore, column, found } of features) {
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

/** Of all rows so large a share found: then all are gone through, in order, as arrays are read fastest. */
const denseShare = 1 / 8;

function give(giver: Giver, { index, size }: IndexView, links: Links | undefined, sums: Float64Array): void {
  const { column, found, weighed } = giver;
  const isDense = found.length > size * denseShare;
  const count = isDense ? size : found.length;
  const { self, before, after, twoBefore, twoAfter, questionBefore, answerAfter } = weighed;
  for (let i = 0; i < count; i++) {
    const row = isDense ? i : found[i];
    sums[row] += self * column[row];
  }
  if (!links) return;
  const { traits } = index.columns;
  const along = { column, found: isDense ? undefined : found, count, size, traits };
  giveAlong({ ...along, links: links.next, one: before, two: twoBefore, ofQuestion: questionBefore }, sums);
  giveAlong({ ...along, links: links.previous, one: after, two: twoAfter, toQuestion: answerAfter }, sums);
}

/** One direction in which rows give to those next to them and to those two away. */
interface Along {
  readonly column: Float64Array;
  /** Undefined for all rows. */
  readonly found: ArrayLike<number> | undefined;
  readonly count: number;
  readonly size: number;
  readonly traits: Uint8Array;
  readonly links: Int32Array;
  readonly one: number;
  readonly two: number;
  /** What a question gives more than another row to the next, and what a question is given more. */
  readonly ofQuestion?: number;
  readonly toQuestion?: number;
}

/** A link below 0 is read as an unsigned number: larger than any row, as one to a row that came since the search began. */
function giveAlong(
  { column, found, count, size, traits, links, one, two, ofQuestion = 0, toQuestion = 0 }: Along,
  sums: Float64Array,
): void {
  const { question } = documentTraits;
  for (let i = 0; i < count; i++) {
    const row = found ? found[i] : i;
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

/** By number of a conversation what it gives to each of its rows; undefined where none gives anything. */
function sumsOfConversations(features: readonly Feature[], { index }: IndexView): Float64Array | undefined {
  let sums: Float64Array | undefined;
  for (const { part, column, factor, perScore } of features) {
    if (!column || part !== 'conversation') continue;
    sums ??= new Float64Array(index.conversations.size);
    for (let c = 0; c < column.length; c++) sums[c] += factor * perScore * column[c];
  }
  return sums;
}

function addRated({ rate, factor }: Feature, rows: Int32Array, sums: Float64Array): void {
  if (!rate) return;
  for (let from = 0; from < rows.length; from += blockRows) {
    const block = rows.subarray(from, from + blockRows);
    rate(block, block.length, rated);
    for (let i = 0; i < block.length; i++) sums[block[i]] += factor * rated[i];
  }
}

const buckets = 2048;
/** Of the largest sum, more than orders of addition make of a difference. */
const tolerance = 1e-9;

/** Rows whose sum is among the highest `count`, some more where many are near the last; in their order. */
export function highestOf(sums: Float64Array, rows: Int32Array, count: number): Int32Array {
  if (rows.length <= count) return rows;
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < rows.length; i++) {
    const sum = sums[rows[i]];
    if (sum < least) least = sum;
    if (sum > most) most = sum;
  }
  const perBucket = buckets / (most - least || 1);
  const counts = new Int32Array(buckets + 1);
  for (let i = 0; i < rows.length; i++) counts[((sums[rows[i]] - least) * perBucket) | 0]++;
  let bucket = buckets;
  for (let above = counts[bucket]; above < count && bucket > 0; ) above += counts[--bucket];
  const from = least + bucket / perBucket - tolerance * Math.max(Math.abs(most), Math.abs(least), 1);
  const kept = new Int32Array(rows.length);
  let size = 0;
  for (let i = 0; i < rows.length; i++) if (sums[rows[i]] >= from) kept[size++] = rows[i];
  return kept.subarray(0, size);
}
