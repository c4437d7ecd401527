import { isImmediate } from '../../domain/embedding/embedder.ts';
import { cosineAtSimilarity, similarityOf } from '../../domain/embedding/similarity.ts';
import type { EmbedderOf } from '../../domain/embedding/space-embedder.ts';
import type { SpaceVectors } from '../index/user-index.ts';
import { areVectorsInStore } from '../index/vector-loader.ts';
import type { QueryVectors } from '../vectors/query-vectors.ts';
import { type ArmContext, ArmFailure } from './arm.ts';
import { type CosineByRow, cosinesOf, nearestCosines } from './nearest-cosines.ts';

/** What a failure of the second model is called in an answer that was made without it. */
export const secondModel = 'encoder';

/** Similarity that is looked at whatever the threshold is. */
const lookedAtMin = 1 / 3;

/** Rows that the second model lacks of which all are read and compared; of more, the nearest are looked for. */
const lackingReadMax = 400;

/** Rows near to the query, in the measure of one model. */
export interface Near {
  readonly cosines: CosineByRow;
  /** The cosine at which two texts are plausibly related: similarity 0.5. */
  readonly relatedCosine: number;
  /** Whether the model reads texts as a whole, not as a sum of words: what a network takes it for. */
  readonly isOfEncoder: boolean;
}

export interface NearDeps {
  readonly embedderOf: EmbedderOf;
  readonly queryVectors: QueryVectors;
  /** The longest a search waits for the second model once that is loaded; until then it waits as the arm does. */
  readonly secondTimeoutMs: number;
}

type Second = NonNullable<ArmContext['view']['index']['second']>;

/** The query as a vector of a space. */
interface QueryIn extends Omit<Near, 'cosines'> {
  readonly vector: Float32Array;
}

/**
 * Near rows by the second model where it has their vectors, by the main one where it has not yet; by the main one alone
 * where the second fails, which is noted.
 * @throws ArmFailure or EmbeddingError where the main one fails
 */
export async function nearInSpaces(context: ArmContext, deps: NearDeps): Promise<Near> {
  const { index } = context.view;
  const { second } = index;
  if (!second) return nearInSpace(context, deps, index);
  const lacking = rowsLacking(context, second);
  if (lacking === 'all') return nearInSpace(context, deps, index);
  if (lacking !== 'many') return nearByLacking(context, deps, second, lacking);
  // The second first: its query is encoded on another thread.
  const [near, main] = await Promise.all([
    nearBySecond(context, deps, second),
    nearInSpace(context, deps, index),
  ]);
  if (!near) return main;
  const isEmbedded = await embeddedRows(context, second, main.cosines);
  const others = [...main.cosines].filter(([row]) => !isEmbedded.has(row));
  return joined(near, { ...main, cosines: new Map(others) });
}

/** Visible rows without vectors of the second model: few by their numbers; `many` also where only the store knows. */
function rowsLacking({ reader, view }: ArmContext, { embedded }: Second): readonly number[] | 'many' | 'all' {
  if (areVectorsInStore(reader, view.index)) return 'many';
  if (embedded.size === 0) return 'all';
  const lacking: number[] = [];
  if (embedded.size === view.index.size) return lacking;
  for (let row = 0; row < view.size; row++) {
    if (embedded.has(row) || !view.isVisible(row)) continue;
    if (lacking.length === lackingReadMax) return 'many';
    lacking.push(row);
  }
  return lacking;
}

/** The main space is not gone through: of its vectors only those of the rows are read that the second model lacks. */
async function nearByLacking(
  context: ArmContext,
  deps: NearDeps,
  second: Second,
  lacking: readonly number[],
): Promise<Near> {
  const { index } = context.view;
  const near = await nearBySecond(context, deps, second);
  if (!near) return nearInSpace(context, deps, index);
  if (lacking.length === 0) return near;
  const query = await queryIn(context, deps, index);
  const docs = lacking.map((row) => index.columns.docs[row]);
  const stored = await context.reader.vectorsOf(index.space, docs);
  return joined(near, { ...query, cosines: cosinesOf(index, query.vector, stored) });
}

/** Rows of both in the measure of the first: the others get the cosine that says the same there. */
function joined(near: Near, others: Near): Near {
  if (others.cosines.size === 0) return near;
  const cosines = new Map(near.cosines);
  for (const [row, cosine] of others.cosines) {
    const similarity = similarityOf(cosine, others.relatedCosine);
    cosines.set(row, cosineAtSimilarity(similarity, near.relatedCosine));
  }
  return { ...near, cosines };
}

async function nearBySecond(
  context: ArmContext,
  deps: NearDeps,
  second: SpaceVectors,
): Promise<Near | undefined> {
  try {
    return await nearInSpace(context, deps, second, deps.secondTimeoutMs);
  } catch (error) {
    context.noteFailure(secondModel, error);
    return undefined;
  }
}

async function nearInSpace(
  context: ArmContext,
  deps: NearDeps,
  of: SpaceVectors,
  waitMs?: number,
): Promise<Near> {
  const { plan, view, reader, passes } = context;
  const { vector, relatedCosine, isOfEncoder } = await queryIn(context, deps, of, waitMs);
  const cosines = await nearestCosines(vector, {
    reader,
    view,
    of,
    passes,
    isFiltered: plan.isNarrowing,
    requested: plan.offset + plan.limit,
    // What is below the threshold is no match, but says something of one.
    atLeast: cosineAtSimilarity(Math.min(plan.threshold, lookedAtMin), relatedCosine),
  });
  return { cosines, relatedCosine, isOfEncoder };
}

/** @param waitMs the longest that is waited for a model that is loaded; by default as long as the arm waits */
async function queryIn(
  { plan, wait }: ArmContext,
  { embedderOf, queryVectors }: NearDeps,
  { space }: SpaceVectors,
  waitMs?: number,
): Promise<QueryIn> {
  const inSpace = await embedderOf(space);
  if (!inSpace) throw new ArmFailure('provider_error', 'this process has no model of the serving space');
  const { embedder, relatedCosine } = inSpace;
  if (isImmediate(embedder))
    return { vector: embedder.embedNow(plan.query), relatedCosine, isOfEncoder: false };
  const encoded = queryVectors.of(embedder, plan.query);
  const vector = await wait(encoded, embedder.isLoading ? undefined : waitMs);
  return { vector, relatedCosine, isOfEncoder: true };
}

/** Which of the rows have vectors of the second model: where the store compares vectors, it is asked. */
async function embeddedRows(
  { reader, view: { index } }: ArmContext,
  { space, embedded }: Second,
  rows: CosineByRow,
): Promise<Pick<ReadonlySet<number>, 'has'>> {
  if (!areVectorsInStore(reader, index)) return embedded;
  const docs = Array.from(rows.keys(), (row) => index.columns.docs[row]);
  const stored = await reader.vectorsOf(space, docs);
  return new Set(stored.map(({ doc }) => index.rowOf(doc)));
}
