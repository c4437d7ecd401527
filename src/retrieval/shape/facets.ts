import { effectiveStates, memoryTypes } from '../../domain/memories/memory.ts';
import type { UserIndex } from '../index/user-index.ts';
import type { FacetCount, Facets } from '../request.ts';

const topicFacetsMax = 20;

function byCount(a: FacetCount, b: FacetCount): number {
  return b.count - a.count || (a.value < b.value ? -1 : 1);
}

function counts(numbers: Uint32Array, nameOf: (number: number) => string): FacetCount[] {
  const found: FacetCount[] = [];
  for (let i = 0; i < numbers.length; i++)
    if (numbers[i] > 0) found.push({ value: nameOf(i), count: numbers[i] });
  return found.sort(byCount);
}

/** Counts over all matching rows, most frequent first; at most 20 topics. */
export function facetsOf(index: UserIndex, rows: ArrayLike<number>): Facets {
  const topics = new Uint32Array(index.topicKeys.size);
  const types = new Uint32Array(memoryTypes.length);
  const states = new Uint32Array(effectiveStates.length);
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i];
    types[index.columns.memoryType[row]]++;
    states[index.columns.effectiveState[row]]++;
    for (let of = 0; of < index.topics.countOf(row); of++) topics[index.topics.at(row, of)]++;
  }
  return {
    topics: counts(topics, (topic) => index.topicNames[topic]).slice(0, topicFacetsMax),
    memoryType: counts(types, (type) => memoryTypes[type]),
    effectiveState: counts(states, (state) => effectiveStates[state]),
  };
}
