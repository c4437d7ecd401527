import { EmbeddingError } from '../domain/embedding/embedder.ts';
import { cosineOf } from '../domain/embedding/similarity.ts';
import type { SpaceEmbedder } from '../domain/embedding/space-embedder.ts';
import type { UserRef } from '../domain/shared/user-ref.ts';
import type { LiveTerm } from './arms/live-terms.ts';
import { type Nearness, semanticArm } from './arms/semantic-arm.ts';
import { softTerms } from './arms/soft-terms.ts';
import { type BranchFailure, vectorsFailed } from './branch-failure.ts';
import type { Candidates } from './candidates.ts';
import type { FoundByMeaning } from './fuse.ts';
import type { SearchPlan } from './plan.ts';
import type { MeaningParts, SearchParts } from './search.ts';

/** The arms of meaning side by side, of which that of vectors may fail; undefined where only words are asked about. */
export async function findByMeaning(
  parts: SearchParts,
  user: UserRef,
  plan: SearchPlan,
  { moment, passes }: Candidates,
  typed: readonly LiveTerm[],
): Promise<FoundByMeaning | undefined> {
  if (plan.method === 'keyword' || !parts.meaning) return undefined;
  const { embedderOf, nearWords } = parts.meaning;
  const inSpace = await embedderOf(moment.index.space);
  const halfSimilarityAt = inSpace?.halfSimilarityAt ?? 1;
  const { analyzeQuery } = parts;
  const reader = parts.readerFor(user);
  const isFiltered = isNarrowing(plan);
  const wanted = plan.offset + plan.limit;
  const atLeast = cosineOf(plan.threshold, halfSimilarityAt);
  const [{ nearness, failure }, soft] = await Promise.all([
    nearTo(plan.query, parts.meaning, inSpace, (vector) =>
      semanticArm(vector, { reader, moment, passes, isFiltered, wanted, atLeast }),
    ),
    plan.method === 'hybrid'
      ? softTerms({ reader, moment, nearWords, analyzeQuery, words: plan.words, typed })
      : undefined,
  ]);
  return { nearness, soft, halfSimilarityAt, failure };
}

interface NearOrFailed {
  readonly nearness: Nearness;
  readonly failure?: BranchFailure;
}

async function nearTo(
  query: string,
  { queryVectors }: MeaningParts,
  inSpace: SpaceEmbedder | undefined,
  ask: (vector: Float32Array) => Promise<Nearness>,
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
