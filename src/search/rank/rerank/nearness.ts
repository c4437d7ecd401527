import { similarityOf } from '../../../domain/embedding/similarity.ts';
import type { RowTest } from '../../../search-index/columns/row-test.ts';
import type { IndexView } from '../../../search-index/rows/index-view.ts';
import type { Near } from '../../arms/near-in-spaces.ts';

/** What any two texts share gives nothing: two thirds of the similarity at which two texts are plausibly related. */
export const similarityFloor = 1 / 3;
const bestOfConversation = 3;

/** How near memories are to the query by their vectors: the similarity above the floor. */
export interface Nearness {
  /** 0 for rows that are far, and for no row. */
  of(row: number): number;
  /** Mean of the three nearest memories of a conversation. */
  ofConversation(number: number): number;
  /** Of a row that passes. */
  readonly best: number;
  readonly bestConversation: number;
  /** Matches of the search, in order of nearness. */
  readonly found: readonly number[];
  readonly isOfEncoder: boolean;
}

/** @param matches of the search among the rows that vectors found */
export function nearnessOf(
  { cosines, relatedCosine, isOfEncoder }: Near,
  { index }: IndexView,
  passes: RowTest,
  matches: RowTest,
): Nearness {
  const { conversation } = index.columns;
  const above = new Map<number, number>();
  const ofConversations = new Map<number, number[]>();
  let best = 0;
  for (const [row, cosine] of cosines) {
    const value = similarityOf(cosine, relatedCosine) - similarityFloor;
    if (!(value > 0)) continue;
    above.set(row, value);
    const others = ofConversations.get(conversation[row]);
    if (others) others.push(value);
    else ofConversations.set(conversation[row], [value]);
    if (value > best && passes(row)) best = value;
  }
  const means = new Map<number, number>();
  for (const [number, values] of ofConversations) means.set(number, meanOfBest(values));
  const found = [...above.keys()].filter(matches);
  return {
    of: (row) => above.get(row) ?? 0,
    ofConversation: (number) => means.get(number) ?? 0,
    best,
    bestConversation: found.reduce((most, row) => Math.max(most, means.get(conversation[row]) ?? 0), 0),
    found,
    isOfEncoder,
  };
}

function meanOfBest(values: number[]): number {
  values.sort((x, y) => y - x);
  let sum = 0;
  for (let i = 0; i < Math.min(bestOfConversation, values.length); i++) sum += values[i];
  return sum / bestOfConversation;
}
