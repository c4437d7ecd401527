import { LRUCache } from 'lru-cache';
import { type Embedder, type EmbedderOf, isImmediate, spaceName } from '../../domain/embedding/embedder.ts';
import { cosineAtSimilarity, similarityOf } from '../../domain/embedding/similarity.ts';
import type { SpaceVectors } from '../../search-index/rows/user-index.ts';
import { type ArmContext, ArmFailure } from './arm.ts';
import { type CosineByRow, cosinesOf, nearestCosines } from './nearest-cosines.ts';

/** Name of a failure of the second model, in a response made without it. */
const secondModel = 'encoder';

/** Similarity down to which rows are compared, whatever the threshold. */
const lookedAtMin = 1 / 3;

/**
 * Maximum rows without vectors of the second model that are
 * read and compared one by one; if more, a nearest search runs.
 */
const lackingReadMax = 400;

/** Rows near the query, with cosines of one model. */
export interface Near {
  readonly cosines: CosineByRow;
  /** The cosine at which two texts are plausibly related: similarity 0.5. */
  readonly relatedCosine: number;
  /** Whether the model reads a text as a whole, not as a sum of words; a feature of the network. */
  readonly isOfEncoder: boolean;
  /** The query as a unit vector, and the id of its space. */
  readonly vector: Float32Array;
  readonly space: number;
}

export interface NearDeps {
  readonly embedderOf: EmbedderOf;
  readonly queryVectors: QueryVectors;
  /** Maximum wait for the second model after it is loaded; before, the wait of the arm applies. */
  readonly secondTimeoutMs: number;
}

type Second = NonNullable<ArmContext['view']['index']['second']>;

/** The query as a vector of a space. */
type QueryIn = Omit<Near, 'cosines'>;

/**
 * Near rows by the second model if it has their vectors, else by the main
 * one; by the main one alone if the second fails, which is reported.
 * @throws ArmFailure or EmbeddingError if the main one fails
 */
export async function nearInSpaces(context: ArmContext, deps: NearDeps): Promise<Near> {
  const { index } = context.view;
  const { second } = index;
  if (!second) return nearInSpace(context, deps, index);
  const lacking = rowsLacking(context, second);
  if (lacking === 'all') return nearInSpace(context, deps, index);
  if (lacking !== 'many') return nearByLacking(context, deps, second, lacking);
  // The second model first: another thread encodes its query.
  const [near, main] = await Promise.all([
    nearBySecond(context, deps, second),
    nearInSpace(context, deps, index),
  ]);
  if (!near) return main;
  const others = [...main.cosines].filter(([row]) => !second.embedded.has(row));
  return joined(near, { ...main, cosines: new Map(others) });
}

/** Visible rows without vectors of the second model, if few. */
function rowsLacking({ view }: ArmContext, { embedded }: Second): readonly number[] | 'many' | 'all' {
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

/**
 * Reads only the main vectors of the rows that the second model lacks, instead of searching the main space.
 */
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

/** Rows of both as cosines of the first model: the others get the cosine of equal similarity. */
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
  const query = await queryIn(context, deps, of, waitMs);
  const cosines = await nearestCosines(query.vector, {
    reader,
    view,
    of,
    passes,
    isFiltered: plan.isNarrowing,
    requested: plan.offset + plan.limit,
    // Rows below the threshold are no matches, but count as evidence.
    atLeast: cosineAtSimilarity(Math.min(plan.threshold, lookedAtMin), query.relatedCosine),
  });
  return { ...query, cosines };
}

/** @param waitMs maximum wait for a loaded model; by default the wait of the arm */
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
    return { vector: embedder.embedNow(plan.query), relatedCosine, isOfEncoder: false, space };
  const encoded = queryVectors.of(embedder, plan.query);
  const vector = await wait(encoded, embedder.isLoading ? undefined : waitMs);
  return { vector, relatedCosine, isOfEncoder: true, space };
}

const bytesMax = 16 * 1024 * 1024;
/** Size of a map entry and its promise. */
const bytesAnEntry = 200;

/**
 * Cache of query vectors from slow embedders: people page, filter and repeat a search. Concurrent
 * searches for one query share a request; a vector that is late for its search is cached for the next.
 */
export class QueryVectors {
  readonly #kept = new LRUCache<string, Promise<Float32Array>>({ maxSize: bytesMax });

  /** @throws EmbeddingError */
  of(embedder: Embedder, query: string): Promise<Float32Array> {
    const key = `${spaceName(embedder.space)}\n${query}`;
    let vector = this.#kept.get(key);
    if (!vector) {
      vector = embedder.embed([query], 'query').then(([first]) => first);
      const size = bytesAnEntry + 2 * key.length + 4 * embedder.space.dimension;
      this.#kept.set(key, vector, { size });
      // Callers get the failure; the embedder's client logs it.
      vector.catch(() => this.#kept.delete(key));
    }
    return vector;
  }
}
