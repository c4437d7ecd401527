import type { UserRef } from '../../../../domain/shared/user-ref.ts';
import type { Search } from '../../../../retrieval/search-port.ts';
import type { SearchParameters } from '../../../schemas/search-request.ts';
import { type SearchAnswerRecord, toSearchAnswer } from '../../../schemas/search-result.ts';

/** Searches and shapes the answer, timed to a tenth of a millisecond. */
export async function runSearch(
  search: Search,
  user: UserRef,
  parameters: SearchParameters,
): Promise<SearchAnswerRecord> {
  const start = performance.now();
  const answer = await search.search(user, parameters.request);
  return toSearchAnswer(answer, parameters, Math.round((performance.now() - start) * 10) / 10);
}
