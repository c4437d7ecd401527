import type { Fact } from '../domain/facts/fact.ts';
import type { UserRef } from '../domain/shared/user-ref.ts';
import type { RetrievalParts } from './candidates.ts';
import { queryTermsMax } from './plan.ts';
import type { AnalyzeQuery } from './ports.ts';
import { documentScores } from './rank/document-score.ts';
import type { FactHits } from './search-port.ts';

export interface FactSearchParts extends RetrievalParts {
  readonly analyzeQuery: AnalyzeQuery;
}

/** Facts by the words of subject, predicate and object, best first, the newest first where they are equally good. */
export async function searchFacts(
  parts: FactSearchParts,
  user: UserRef,
  query: string,
  limit: number,
): Promise<FactHits> {
  const terms = parts.analyzeQuery(query).slice(0, queryTermsMax);
  if (terms.length === 0) return { facts: [], total: 0 };
  const scores = await documentScores(parts.readerFor(user), 'fact', terms);
  const best = scores.sort((a, b) => b.score - a.score || b.doc - a.doc).slice(0, limit);
  const found = await parts.stores.forUser(user).facts.findMany(best.map(({ id }) => id));
  const byId = new Map(found.map((fact) => [fact.id, fact]));
  const facts = best.flatMap(({ id }): Fact[] => {
    const fact = byId.get(id);
    return fact ? [fact] : [];
  });
  return { facts, total: scores.length };
}
