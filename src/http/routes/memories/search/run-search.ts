import type { UserRef } from '../../../../domain/shared/user-ref.ts';
import type { SearchMethod } from '../../../../search/request.ts';
import { fitRecords } from '../../../schemas/pagination.ts';
import type { SearchParameters } from '../../../schemas/search-request.ts';
import { type SearchBody, toMinimalResponse, toSearchResponse } from '../../../schemas/search-result.ts';
import type { AppServices } from '../../../services.ts';

export interface SearchDeps extends Pick<AppServices, 'search'> {
  /** Receives the duration of each search. */
  readonly took: (method: SearchMethod, ms: number) => void;
}

/** Searches and makes the response; the time is measured to a tenth of a millisecond. */
export async function runSearch(
  { search, took }: SearchDeps,
  user: UserRef,
  parameters: SearchParameters,
): Promise<SearchBody> {
  const start = performance.now();
  const response = await search.search(user, parameters.request);
  const ms = performance.now() - start;
  took(response.method, ms);
  if (parameters.detail === 'minimal') return toMinimalResponse(response);
  const searchTime = Math.round(ms * 10) / 10;
  const record = toSearchResponse(response, parameters, searchTime);
  const { includeFacts, includeEntities, mode } = parameters.request;
  if (!includeFacts && !includeEntities && mode !== 'facts') return record;
  // The page may exceed the limit of bytes: a memory may have many facts and entities.
  const { data, isFull } = fitRecords(record.data);
  if (!isFull) return record;
  const nextOffset = parameters.request.offset + data.length;
  return { ...record, data, meta: { ...record.meta, truncated: true, nextOffset } };
}
