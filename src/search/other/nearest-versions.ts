import { cosineAtSimilarity } from '../../domain/embedding/similarity.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import { Breather } from '../../lib/loop-time.ts';
import type { IndexReader } from '../../search-index/ports.ts';
import { viewOf } from '../../search-index/rows/index-view.ts';
import type { UserIndex } from '../../search-index/rows/user-index.ts';
import { cosinesOf } from '../arms/nearest-cosines.ts';
import type { RetrievalDeps } from '../candidates.ts';
import type { SemanticDeps } from '../rank/ranking.ts';

export interface NearestVersionsDeps extends Pick<RetrievalDeps, 'indexes' | 'readerFor'> {
  readonly semantic?: Pick<SemanticDeps, 'embedderOf'>;
}

/** Versions near to one version, without itself, nearest first. */
export interface NearestVersions {
  /** Versions of memories before it in the order of event time, else ingestion time. */
  readonly earlier: readonly number[];
  readonly later: readonly number[];
}

/** Nearest rows to read, so that both sides have enough. */
const lookedAt = 64;
/** A little more than plausibly related: farther versions share no statement. */
const similarityMin = 0.6;

/**
 * For each of these versions, the nearest open versions of other memories in the serving space: at most
 * `perSide` before it and after it. A version without a vector, or not in the index, has no entry.
 */
export async function nearestVersions(
  { indexes, readerFor, semantic }: NearestVersionsDeps,
  user: Pick<UserRef, 'id'>,
  docs: readonly number[],
  perSide: number,
): Promise<ReadonlyMap<number, NearestVersions>> {
  const found = new Map<number, NearestVersions>();
  const index = await indexes.get(user, { withVectors: true });
  const inSpace = await semantic?.embedderOf(index.space);
  if (!inSpace) return found;
  const reader = readerFor(user);
  const atLeast = cosineAtSimilarity(similarityMin, inSpace.relatedCosine);
  const breather = new Breather();
  for (const { doc, part, vector } of await reader.vectorsOf(index.space, docs)) {
    await breather.pause();
    const row = index.rowOf(doc);
    // A long text counts by the vector of the whole.
    if (part !== 0 || row < 0) continue;
    const cosines = await cosinesTo(reader, index, vector);
    const near = [...cosines]
      .filter(([other, value]) => value >= atLeast && index.columns.seqs[other] !== index.columns.seqs[row])
      .sort(([, a], [, b]) => b - a)
      .map(([other]) => other);
    const side = (isOnSide: (other: number) => boolean) =>
      near
        .filter(isOnSide)
        .slice(0, perSide)
        .map((other) => index.columns.docs[other]);
    found.set(doc, {
      earlier: side((other) => isBefore(index, other, row)),
      later: side((other) => !isBefore(index, other, row)),
    });
  }
  return found;
}

function isBefore({ columns }: UserIndex, a: number, b: number): boolean {
  return (columns.orderTime(a) - columns.orderTime(b) || columns.seqs[a] - columns.seqs[b]) < 0;
}

/** Cosines of some of the nearest open versions, by row. */
async function cosinesTo(
  reader: IndexReader,
  index: UserIndex,
  stored: Int8Array,
): Promise<ReadonlyMap<number, number>> {
  const length = Math.hypot(...stored) || 1;
  const vector = Float32Array.from(stored, (number) => number / length);
  const view = viewOf(index, undefined);
  const isVisible = (row: number) => view.isVisible(row);
  if (!index.vectors) return new Map();
  const near = index.vectors.nearest(vector, { count: lookedAt, isSeen: isVisible });
  if (index.vectors.isExact) return near;
  const docs = Array.from(near.keys(), (row) => index.columns.docs[row]);
  const rows = await reader.vectorsOf(index.space, docs);
  return cosinesOf(index, vector, rows);
}
