import type { ComponentChildren, Ref } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ApiFailure } from '../api/client.ts';
import type { Loaded } from '../api/use-query.ts';
import { words } from '../words/words.ts';

interface Props<T> {
  readonly of: Loaded<T>;
  /** Heading of a view that has its own only with its data. */
  readonly title?: string;
  readonly children: (data: T) => ComponentChildren;
}

/** What was loaded; what was there before stays, dimmed, while the next loads or after a failure. */
export function Shown<T>({ of: loaded, title, children }: Props<T>) {
  const { data, error, isFetching, retry } = loaded;
  return (
    <>
      {title !== undefined && data === undefined && <h1>{title}</h1>}
      {error && <Failure error={error} retry={retry} />}
      {data === undefined ? (
        !error && <p class="loading">{words().loading}</p>
      ) : (
        <div class={isFetching ? 'old' : undefined}>{children(data)}</div>
      )}
    </>
  );
}

/** A button for the next page of a list; none at its end. */
export function More({
  of: { more },
  button,
}: {
  readonly of: { readonly more: (() => void) | undefined };
  readonly button?: Ref<HTMLButtonElement>;
}) {
  return (
    more && (
      <button ref={button} type="button" class="more" onClick={more}>
        {words().loadMore}
      </button>
    )
  );
}

/** What failed, in the service's words. A busy service is asked again when it said. */
function Failure({ error, retry }: { readonly error: Error; readonly retry: () => void }) {
  const failure = error instanceof ApiFailure ? error : undefined;
  const [left, setLeft] = useState(failure?.retryAfter ?? 0);
  useEffect(() => setLeft(failure?.retryAfter ?? 0), [failure]);
  useEffect(() => {
    if ((failure?.status !== 503 && failure?.status !== 0) || left <= 0) return;
    const timer = setTimeout(() => {
      setLeft(left - 1);
      if (left === 1) retry();
    }, 1000);
    return () => clearTimeout(timer);
  }, [left, failure, retry]);
  return (
    <div role="alert" class="failure">
      <p>{error.message}</p>
      <p class="hint">
        {failure?.code} {failure?.requestId !== undefined && words().requestId(failure.requestId)}
      </p>
      {left > 0 && <p>{words().waits(left)}</p>}
      <button type="button" onClick={retry}>
        {words().retry}
      </button>
    </div>
  );
}
