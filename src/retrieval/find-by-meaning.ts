import { EmbeddingError } from '../domain/embedding/embedder.ts';
import { cosineOf } from '../domain/embedding/similarity.ts';
import type { SpaceEmbedder } from '../domain/embedding/space-embedder.ts';
import type { UserRef } from '../domain/shared/user-ref.ts';
import { type CosineByRow, semanticArm } from './arms/semantic-arm.ts';
import { softTerms } from './arms/synonym-arm.ts';
import { type BranchFailure, vectorsFailed } from './branch-failure.ts';
import type { Candidates } from './candidates.ts';
import type { LiveTerm } from './expand/live-terms.ts';
import type { FoundByMeaning } from './fuse/fuse.ts';
import type { SearchPlan } from './plan.ts';
import type { SearchDeps, SemanticDeps } from './search.ts';

/** The arms of meaning side by side, of which that of vectors may fail; undefined where only words are asked about. */
export async function findByMeaning(
  deps: SearchDeps,
  user: UserRef,
  plan: SearchPlan,
  { view, passes }: Candidates,
  typed: readonly LiveTerm[],
): Promise<FoundByMeaning | undefined> {
  if (plan.method === 'keyword' || !deps.meaning) return undefined;
  const { embedderOf, synonyms } = deps.meaning;
  const inSpace = await embedderOf(view.index.space);
  const halfSimilarityAt = inSpace?.halfSimilarityAt ?? 1;
  const { analyzeQuery } = deps;
  const reader = deps.readerFor(user);
  const isFiltered = isNarrowing(plan);
  const wanted = plan.offset + plan.limit;
  const atLeast = cosineOf(plan.threshold, halfSimilarityAt);
  const [{ nearness, failure }, soft] = await Promise.all([
    nearTo(plan.query, deps.meaning, inSpace, (vector) =>
      semanticArm(vector, { reader, view, passes, isFiltered, requested: wanted, atLeast }),
    ),
    plan.method === 'hybrid'
      ? softTerms({ reader, view, synonyms, analyzeQuery, words: plan.words, typed })
      : undefined,
  ]);
  return { nearness, soft, halfSimilarityAt, failure };
}

interface NearOrFailed {
  readonly nearness: CosineByRow;
  readonly failure?: BranchFailure;
}

async function nearTo(
  query: string,
  { queryVectors }: SemanticDeps,
  inSpace: SpaceEmbedder | undefined,
  ask: (vector: Float32Array) => Promise<CosineByRow>,
): Promise<NearOrFailed> {
  const lacking = (failure: BranchFailure) => ({ nearness: new Map(), failure });
  if (!inSpace) return lacking(vectorsFailed('provider_error'));
  let vector: Float32Array;
  try {
    vector = await queryVectors.of(inSpace.embedder, query);
  } catch (error) {
    if (error instanceof EmbeddingError) return lacking(vectorsFailed(error.failure));
    throw error;
  }
  return { nearness: await ask(vector) };
}

/** Whether rows that are seen may fail the filter. */
function isNarrowing({ filter, phrases }: SearchPlan): boolean {
  const { asOf: _, notExpiredAt, includeSuperseded, ...rest } = filter;
  return (
    phrases.length > 0 ||
    !includeSuperseded ||
    notExpiredAt !== undefined ||
    Object.values(rest).some((value) => value !== undefined)
  );
}
