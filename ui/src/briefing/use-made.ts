import { useEffect, useState } from 'preact/hooks';
import { type ApiRequest, askText, shownRequest } from '../api/client.ts';

export interface Made<T> {
  readonly state: 'idle' | 'making' | 'made' | 'stopped' | 'failed';
  readonly data: T | undefined;
  readonly error: Error | null;
  readonly stop: () => void;
  readonly start: () => void;
}

/**
 * Asks once for each request, and again when it is started again. A stop ends the connection, and with it the work of
 * the service.
 * @param read makes the data of the body
 */
export function useMade<T>(request: ApiRequest | undefined, read: (body: string) => T): Made<T> {
  const [turn, setTurn] = useState(0);
  const [made, setMade] = useState<Pick<Made<T>, 'state' | 'data' | 'error'>>({
    state: 'idle',
    data: undefined,
    error: null,
  });
  const [current, setCurrent] = useState<AbortController | undefined>();
  const key = request && JSON.stringify([request.path, request.body]);
  useEffect(() => {
    if (!request) {
      setMade({ state: 'idle', data: undefined, error: null });
      return;
    }
    const own = new AbortController();
    setCurrent(own);
    setMade({ state: 'making', data: undefined, error: null });
    shownRequest.value = request;
    const make = async () => {
      try {
        const { body } = await askText({ ...request, signal: own.signal });
        if (!own.signal.aborted) setMade({ state: 'made', data: read(body), error: null });
      } catch (error) {
        // A stop says so itself.
        if (!own.signal.aborted) setMade({ state: 'failed', data: undefined, error: error as Error });
      }
    };
    void make();
    return () => own.abort();
  }, [key, turn]);
  return {
    ...made,
    stop: () => {
      current?.abort();
      setMade({ state: 'stopped', data: undefined, error: null });
    },
    start: () => setTurn(turn + 1),
  };
}
