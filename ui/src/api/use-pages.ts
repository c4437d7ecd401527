import {
  type InfiniteData,
  InfiniteQueryObserver,
  type InfiniteQueryObserverResult,
} from '@tanstack/query-core';
import { useLayoutEffect, useState } from 'preact/hooks';
import { ask, type Query, shownRequest } from './client.ts';
import type { Page } from './records.ts';
import { type Loaded, queries } from './use-query.ts';

const pageSize = 50;
/** Pages in the document at most, 600 rows: a longer list drops its first pages, and says so. */
const pagesMax = 12;

export interface Pages<T> extends Loaded<readonly T[]> {
  readonly count: number;
  /** Rows that were dropped above. */
  readonly dropped: number;
  readonly more: (() => void) | undefined;
  readonly restart: () => void;
}

/** Facts have their count beside the records, and a pagination only if they go on. */
type Listed<T> = Pick<Page<T>, 'data'> & {
  readonly pagination?: Page<T>['pagination'];
  readonly count?: number;
};

/** Where a page begins: as the service says, and after how many rows. */
interface Place {
  readonly cursor: string | undefined;
  readonly after: number;
}

type Data<T> = InfiniteData<Listed<T>, Place>;

const first: Place = { cursor: undefined, after: 0 };

/** A list by cursor: what is written meanwhile moves nothing that is shown. */
export function usePages<T>(path: string, query: Query): Pages<T> {
  const request = { path, query: { ...query, limit: pageSize } };
  const queryKey = ['pages', path, JSON.stringify(query)];
  const options = {
    queryKey,
    initialPageParam: first,
    maxPages: pagesMax,
    refetchOnWindowFocus: false,
    queryFn: async ({ pageParam, signal }: { pageParam: Place; signal: AbortSignal }) => {
      const { cursor } = pageParam;
      return (await ask<Listed<T>>({ ...request, query: { ...request.query, cursor }, signal })).body;
    },
    getNextPageParam: ({ data, pagination }: Listed<T>, _: unknown, { after }: Place): Place | undefined =>
      pagination?.nextCursor === undefined
        ? undefined
        : { cursor: pagination.nextCursor, after: after + data.length },
    getPreviousPageParam: () => undefined,
    placeholderData: (before: Data<T> | undefined) => before,
  };
  const [observer] = useState(
    () => new InfiniteQueryObserver<Listed<T>, Error, Data<T>, never, Place>(queries, options as never),
  );
  const [result, setResult] = useState<InfiniteQueryObserverResult<Data<T>>>(() =>
    observer.getCurrentResult(),
  );
  useLayoutEffect(() => observer.subscribe(setResult), [observer]);
  useLayoutEffect(() => {
    observer.setOptions(options as never);
    setResult(observer.getCurrentResult());
    shownRequest.value = request;
  }, queryKey);
  const { data, error, isFetching, hasNextPage } = result;
  const last = data?.pages.at(-1);
  const restart = () => {
    // What is shown stays until the first page is there again; the others are not read again.
    queries.setQueryData<Data<T>>(
      queryKey,
      (before) => before && { pages: before.pages.slice(0, 1), pageParams: [first] },
    );
    void observer.refetch();
  };
  return {
    data: data?.pages.flatMap((page) => page.data),
    count: last?.pagination?.count ?? last?.count ?? 0,
    dropped: data?.pageParams[0]?.after ?? 0,
    error,
    isFetching,
    retry: () => void (data === undefined || !hasNextPage ? observer.refetch() : observer.fetchNextPage()),
    more: hasNextPage ? () => void (isFetching || observer.fetchNextPage()) : undefined,
    restart,
  };
}
