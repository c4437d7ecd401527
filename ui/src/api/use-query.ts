import { QueryClient, QueryObserver, type QueryObserverResult } from '@tanstack/query-core';
import { useLayoutEffect, useState } from 'preact/hooks';
import { type ApiRequest, ask, shownRequest } from './client.ts';

/** Retries are the person's: a failure is shown at once, with a button. */
export const queries = new QueryClient({
  defaultOptions: { queries: { retry: false, staleTime: 2000, refetchOnWindowFocus: true } },
});

export interface Loaded<T> {
  readonly data: T | undefined;
  readonly error: Error | null;
  /** Something newer than `data` is on its way. */
  readonly isFetching: boolean;
  readonly retry: () => void;
}

interface Options {
  /** Part of a view that is not its main content: "copy as curl" leaves it out. */
  readonly isBeside?: boolean;
  readonly isOff?: boolean;
  /** Asked for again after this time, in ms, while the tab is seen. */
  readonly everyMs?: number;
}

/** The response to a GET, kept while the next one loads. */
export function useQuery<T>(
  request: ApiRequest,
  { isBeside = false, isOff = false, everyMs }: Options = {},
): Loaded<T> {
  const key = [request.path, JSON.stringify(request.query ?? {})];
  const options = {
    queryKey: key,
    enabled: !isOff,
    refetchInterval: everyMs ?? false,
    queryFn: async ({ signal }: { signal: AbortSignal }) => (await ask<T>({ ...request, signal })).body,
    placeholderData: (before: T | undefined) => before,
  };
  const [observer] = useState(() => new QueryObserver<T>(queries, options as never));
  const [result, setResult] = useState<QueryObserverResult<T>>(() => observer.getCurrentResult());
  // Not in `useEffect`, which ends after the act that took the view away has asked for all active queries again.
  useLayoutEffect(() => observer.subscribe(setResult), [observer]);
  // Before the act that switched it off asks for everything that is shown again.
  useLayoutEffect(() => {
    observer.setOptions(options as never);
    setResult(observer.getCurrentResult());
    if (!isBeside && !isOff) shownRequest.value = request;
  }, [...key, isOff]);
  return {
    data: result.data,
    error: result.error,
    isFetching: result.isFetching,
    retry: () => void observer.refetch(),
  };
}

/** After a change: everything that is shown is asked for again. */
export const refresh = () => void queries.invalidateQueries();

/** Ends the reads under way: before a change, whose `refresh` reads again what they would have brought. */
export const endReads = () => queries.cancelQueries();
