import type { Fact } from '../../domain/facts/fact.ts';
import type { EpochMs } from '../../domain/shared/time.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import type { Clock } from '../../lib/clock.ts';
import type { AnalyzeQuery, IndexReader } from '../../search-index/ports.ts';
import { nearRecords, type ShortTexts } from '../../search-index/vectors/short-texts.ts';
import type { RetrievalDeps } from '../candidates.ts';
import { queryTermsMax } from '../query/plan.ts';
import { documentScores } from '../scores/bm25.ts';
import { fuseRecords } from '../scores/words-and-similarity.ts';
import type { FactHits, FactSearchRequest } from '../search-port.ts';

export interface FactSearchDeps extends RetrievalDeps {
  readonly relevanceFloor?: number;
  readonly analyzeQuery: AnalyzeQuery;
  readonly shortTexts?: ShortTexts;
  readonly clock: Clock;
}

/**
 * Facts by words and semantic similarity of subject, predicate and object, best
 * first, then newest; without those whose score is below the floor of relevance.
 */
export async function searchFacts(
  deps: FactSearchDeps,
  user: UserRef,
  { query, limit, includeSuperseded = false }: FactSearchRequest,
): Promise<FactHits> {
  const reader = readerAt(deps.readerFor(user), includeSuperseded ? undefined : deps.clock.now());
  const terms = deps.analyzeQuery(query).slice(0, queryTermsMax);
  const words = await documentScores(reader, 'fact', terms);
  const near = await nearRecords(deps.shortTexts, reader, { kind: 'fact', query });
  const { relevanceFloor = 0 } = deps;
  const ranked = fuseRecords(words, near).filter(({ score }) => score >= relevanceFloor);
  const found = await deps.stores.forUser(user).facts.findMany(ranked.slice(0, limit).map(({ id }) => id));
  const byId = new Map(found.map((fact) => [fact.id, fact]));
  const facts = ranked.slice(0, limit).flatMap(({ id }): Fact[] => {
    const fact = byId.get(id);
    return fact ? [fact] : [];
  });
  return { facts, total: ranked.length, method: deps.shortTexts ? 'hybrid' : 'keyword' };
}

/** Reads the facts that hold at a time. */
function readerAt(
  reader: IndexReader,
  currentAt: EpochMs | undefined,
): Pick<IndexReader, 'postings' | 'statistics' | 'liveDocuments' | 'recordTexts'> {
  return {
    postings: (kind, terms) => reader.postings(kind, terms),
    statistics: (kind) => reader.statistics(kind),
    liveDocuments: (kind, docs) => reader.liveDocuments(kind, docs, currentAt),
    recordTexts: (kind, limit) => reader.recordTexts(kind, limit, currentAt),
  };
}
