import { isImmediate } from '../../domain/embedding/embedder.ts';
import { cosineAtSimilarity, similarityOf } from '../../domain/embedding/similarity.ts';
import type { EmbedderOf } from '../../domain/embedding/space-embedder.ts';
import type { SpaceVectors } from '../index/user-index.ts';
import type { QueryVectors } from '../vectors/query-vectors.ts';
import { type ArmContext, ArmFailure } from './arm.ts';
import { type CosineByRow, nearestCosines } from './nearest-cosines.ts';

/** What a failure of the second model is called in an answer that was made without it. */
export const secondModel = 'encoder';

/** Rows near to the query, in the measure of one model. */
export interface Near {
  readonly cosines: CosineByRow;
  /** The cosine at which two texts are plausibly related: similarity 0.5. */
  readonly relatedCosine: number;
}

export interface NearDeps {
  readonly embedderOf: EmbedderOf;
  readonly queryVectors: QueryVectors;
}

/**
 * Near rows by the second model where it has their vectors, by the main one where it has not yet; by the main one alone
 * where the second fails, which is noted.
 * @throws ArmFailure or EmbeddingError where the main one fails
 */
export async function nearInSpaces(context: ArmContext, deps: NearDeps): Promise<Near> {
  const { index } = context.view;
  const { second } = index;
  // The second first: its query is encoded on another thread.
  const [near, main] = await Promise.all([
    second && nearBySecond(context, deps, second),
    nearInSpace(context, deps, index),
  ]);
  if (!near || !second) return main;
  const isEmbedded = await embeddedRows(context, second, main.cosines);
  const cosines = new Map(near.cosines);
  for (const [row, cosine] of main.cosines) {
    if (isEmbedded.has(row)) continue;
    // The cosine that says the same in the measure of the second model.
    const similarity = similarityOf(cosine, main.relatedCosine);
    cosines.set(row, cosineAtSimilarity(similarity, near.relatedCosine));
  }
  return { cosines, relatedCosine: near.relatedCosine };
}

async function nearBySecond(
  context: ArmContext,
  deps: NearDeps,
  second: SpaceVectors,
): Promise<Near | undefined> {
  try {
    return await nearInSpace(context, deps, second);
  } catch (error) {
    context.noteFailure(secondModel, error);
    return undefined;
  }
}

async function nearInSpace(
  { plan, view, reader, passes, wait }: ArmContext,
  { embedderOf, queryVectors }: NearDeps,
  of: SpaceVectors,
): Promise<Near> {
  const inSpace = await embedderOf(of.space);
  if (!inSpace) throw new ArmFailure('provider_error', 'this process has no model of the serving space');
  const { embedder, relatedCosine } = inSpace;
  const vector = isImmediate(embedder)
    ? embedder.embedNow(plan.query)
    : await wait(queryVectors.of(embedder, plan.query));
  const cosines = await nearestCosines(vector, {
    reader,
    view,
    of,
    passes,
    isFiltered: plan.isNarrowing,
    requested: plan.offset + plan.limit,
    atLeast: cosineAtSimilarity(plan.threshold, relatedCosine),
  });
  return { cosines, relatedCosine };
}

/** Which of the rows have vectors of the second model: where the store compares vectors, it is asked. */
async function embeddedRows(
  { reader, view: { index } }: ArmContext,
  { space, vectors, embedded }: SpaceVectors,
  rows: CosineByRow,
): Promise<ReadonlySet<number>> {
  if (embedded && (vectors || !reader.nearest)) return embedded;
  const docs = Array.from(rows.keys(), (row) => index.columns.docs[row]);
  const stored = await reader.vectorsOf(space, docs);
  return new Set(stored.map(({ doc }) => index.rowOf(doc)));
}
