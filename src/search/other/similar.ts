import { similarityOf } from '../../domain/embedding/similarity.ts';
import type { Memory } from '../../domain/memories/memory.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import type { MemoryFilter } from '../../search-index/memory-filter.ts';
import type { IndexReader } from '../../search-index/ports.ts';
import { nearestCosines } from '../arms/nearest-cosines.ts';
import { candidatesFor } from '../candidates.ts';
import type { SearchDeps } from '../search.ts';
import type { SimilarHits } from '../search-port.ts';
import { pageOfRecords } from '../shape/records.ts';
import { relatedByTopics } from './browse.ts';

const everything: MemoryFilter = { includeSuperseded: true };
/** Plausibly related. */
const similarityMin = 0.5;

/**
 * Semantically similar memories, most similar first, then
 * newest; without semantic search, memories with shared topics.
 */
export async function similarMemories(
  deps: SearchDeps,
  user: UserRef,
  memory: Memory,
  limit: number,
): Promise<SimilarHits> {
  const { index, view, passes } = await candidatesFor(deps, user, everything, { withVectors: true });
  const inSpace = await deps.semantic?.embedderOf(index.space);
  const reader = deps.readerFor(user);
  const vector = inSpace && (await vectorOf(reader, index.space, memory.doc));
  if (!inSpace || !vector) return { byVectors: false, ...(await relatedByTopics(deps, user, memory, limit)) };
  const { relatedCosine } = inSpace;
  const here = index.rowOf(memory.doc);
  const cosines = await nearestCosines(vector, {
    reader,
    view,
    passes,
    isFiltered: false,
    requested: limit + 1,
  });
  const { seqs, docs } = index.columns;
  const near = [...cosines]
    .map(([row, cosine]) => ({ row, score: similarityOf(cosine, relatedCosine) }))
    .filter(({ row, score }) => row !== here && score >= similarityMin)
    .sort((a, b) => b.score - a.score || seqs[b.row] - seqs[a.row])
    .slice(0, limit);
  const scoreOf = new Map(near.map(({ row, score }) => [docs[row], score]));
  const { items, isFull } = await pageOfRecords(
    deps,
    user,
    index,
    near.map(({ row }) => row),
  );
  const hits = items.map((each) => ({ memory: each, score: scoreOf.get(each.doc) ?? 0, sharedTopics: [] }));
  return { byVectors: true, hits, isFull };
}

/** Unit vector of the whole text; undefined until it is embedded. Calls no model. */
async function vectorOf(reader: IndexReader, space: number, doc: number): Promise<Float32Array | undefined> {
  const stored = (await reader.vectorsOf(space, [doc])).find(({ part }) => part === 0)?.vector;
  if (!stored) return undefined;
  const length = Math.hypot(...stored) || 1;
  return Float32Array.from(stored, (number) => number / length);
}
