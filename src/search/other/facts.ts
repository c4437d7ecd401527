import type { Fact } from '../../domain/facts/fact.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import type { AnalyzeQuery } from '../../search-index/ports.ts';
import { nearRecords, type ShortTexts } from '../../search-index/vectors/short-texts.ts';
import type { RetrievalDeps } from '../candidates.ts';
import { queryTermsMax } from '../query/plan.ts';
import { documentScores } from '../scores/bm25.ts';
import { fuseRecords } from '../scores/words-and-similarity.ts';
import type { FactHits } from '../search-port.ts';

export interface FactSearchDeps extends RetrievalDeps {
  readonly analyzeQuery: AnalyzeQuery;
  readonly shortTexts?: ShortTexts;
}

/** Facts by words and semantic similarity of subject, predicate and object, best first, then newest. */
export async function searchFacts(
  deps: FactSearchDeps,
  user: UserRef,
  query: string,
  limit: number,
): Promise<FactHits> {
  const reader = deps.readerFor(user);
  const terms = deps.analyzeQuery(query).slice(0, queryTermsMax);
  const words = await documentScores(reader, 'fact', terms);
  const near = await nearRecords(deps.shortTexts, reader, { kind: 'fact', query });
  const ranked = fuseRecords(words, near);
  const found = await deps.stores.forUser(user).facts.findMany(ranked.slice(0, limit).map(({ id }) => id));
  const byId = new Map(found.map((fact) => [fact.id, fact]));
  const facts = ranked.slice(0, limit).flatMap(({ id }): Fact[] => {
    const fact = byId.get(id);
    return fact ? [fact] : [];
  });
  return { facts, total: ranked.length, method: deps.shortTexts ? 'hybrid' : 'keyword' };
}
