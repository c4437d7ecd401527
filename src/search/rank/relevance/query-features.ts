import { cosineAtSimilarity } from '../../../domain/embedding/similarity.ts';
import { analyzeQuery } from '../../../search-index/analysis/index.ts';
import { isSemanticSignal } from '../../arms/semantic-arm.ts';
import type { LiveTerm } from '../../query/words/live-terms.ts';
import { speakersNamed } from '../../query/words/speakers-named.ts';
import type { Fused } from '../fuse/fuse.ts';
import type { JudgedSearch } from './judged-search.ts';
import { queryMassOf } from './query-mass.ts';

/** What can be said of a query, the same for all its results. */
export const queryFeatures = ['wordsWithoutNames', 'unknownName', 'nearestLead'] as const;

export type ValuesOfQuery = Readonly<Record<(typeof queryFeatures)[number], number>>;

export function valuesOfQuery(search: JudgedSearch): ValuesOfQuery {
  const { view, query, typed, terms, sum } = search;
  const names = speakersNamed(typed, terms, view).words;
  return {
    wordsWithoutNames: queryMassOf(search, names).words,
    unknownName: namesUnknown(query, terms) ? 1 : 0,
    nearestLead: nearestLead(sum),
  };
}

/** Similarity that vectors are compared down to, whatever the threshold is. */
const similarityFloor = 1 / 3;
const comparedRank = 10;

function nearestLead({ signals }: Fused): number {
  const near = signals.find(isSemanticSignal)?.near;
  if (!near) return 0;
  return leadOfNearest(near.cosines.values(), cosineAtSimilarity(similarityFloor, near.relatedCosine));
}

/** By how much the nearest memory is nearer than the tenth: a difference of cosines, of which less than `floor` counts as that. */
export function leadOfNearest(cosines: Iterable<number>, floor: number): number {
  const best = new Float64Array(comparedRank).fill(floor);
  for (const cosine of cosines) {
    if (!(cosine > best[comparedRank - 1])) continue;
    let place = comparedRank - 1;
    for (; place > 0 && best[place - 1] < cosine; place--) best[place] = best[place - 1];
    best[place] = cosine;
  }
  return best[0] - best[comparedRank - 1];
}

/** A capital within a sentence. */
const name = /(?<=[\p{Ll},'’] )\p{Lu}\p{L}+/gu;

/** Whether the query names somebody or something that no memory has. */
export function namesUnknown(query: string, terms: readonly Pick<LiveTerm, 'term' | 'rows'>[]): boolean {
  const unknown = new Set(terms.filter(({ rows }) => rows.length === 0).map(({ term }) => term));
  return (query.match(name) ?? []).some((text) => analyzeQuery(text).some((term) => unknown.has(term)));
}
