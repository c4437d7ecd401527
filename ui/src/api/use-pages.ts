import { useEffect, useRef, useState } from 'preact/hooks';
import { ask, type Query, shownRequest } from './client.ts';
import type { Page } from './records.ts';
import type { Loaded } from './use-query.ts';

const pageSize = 50;
/** Rows in the document at most: a longer list drops its first pages, and says so. */
const rowsMax = 600;

export interface Pages<T> extends Loaded<readonly T[]> {
  readonly count: number;
  /** Rows that were dropped above. */
  readonly dropped: number;
  readonly more: (() => void) | undefined;
  readonly restart: () => void;
}

interface State<T> {
  readonly rows: readonly T[];
  readonly count: number;
  readonly dropped: number;
  readonly next: string | undefined;
}

/** A list by cursor: what is written meanwhile moves nothing that is shown. */
export function usePages<T>(path: string, query: Query): Pages<T> {
  const [state, setState] = useState<State<T> | undefined>();
  const [error, setError] = useState<Error | null>(null);
  const [isFetching, setFetching] = useState(false);
  const [round, setRound] = useState(0);
  const running = useRef<AbortController | undefined>(undefined);
  const key = `${path} ${JSON.stringify(query)} ${round}`;

  const load = async (before: State<T> | undefined) => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    setFetching(true);
    const request = { path, query: { ...query, limit: pageSize, cursor: before?.next } };
    if (before === undefined) shownRequest.value = request;
    try {
      const { body } = await ask<Page<T>>({ ...request, signal: controller.signal });
      const rows = [...(before?.rows ?? []), ...body.data];
      const over = Math.max(0, rows.length - rowsMax);
      setState({
        rows: rows.slice(over),
        count: body.pagination.count,
        dropped: (before?.dropped ?? 0) + over,
        next: body.pagination.nextCursor,
      });
      setError(null);
    } catch (failure) {
      if (!controller.signal.aborted) setError(failure as Error);
    }
    if (running.current === controller) setFetching(false);
  };
  useEffect(() => {
    void load(undefined);
    return () => running.current?.abort();
  }, [key]);
  return {
    data: state?.rows,
    count: state?.count ?? 0,
    dropped: state?.dropped ?? 0,
    error,
    isFetching,
    retry: () => void load(state),
    more: state?.next === undefined ? undefined : () => void load(state),
    restart: () => setRound(round + 1),
  };
}
