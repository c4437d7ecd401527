import { session, signedOut } from './session.ts';

/** A record that changed, as `GET /api/events` names it. */
export interface Change {
  readonly kind: string;
  readonly action: string;
  readonly id: string;
  readonly cursor: string;
}

export type StreamState = 'connecting' | 'open' | 'lost' | 'missed';

interface Follower {
  readonly onChange: (change: Change) => void;
  readonly onState: (state: StreamState) => void;
}

const reconnectMs = [500, 1000, 2000, 5000, 10_000] as const;
const event = /^event: (\w+)\ndata: (.*)(?:\nid: (.*))?$/;

/**
 * Follows the changes until the returned function is called, across lost connections. A hidden tab has no
 * stream, as browsers allow few connections; it catches up when it is seen again.
 */
export function follow({ onChange, onState }: Follower): () => void {
  let last: string | undefined;
  let failures = 0;
  let current: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isEnded = false;

  const take = (block: string) => {
    const [, name, data, id] = event.exec(block) ?? [];
    if (name === undefined || data === undefined || id === undefined) return;
    last = id;
    if (name === 'open') {
      failures = 0;
      onState('open');
    } else if (name === 'change') onChange({ ...(JSON.parse(data) as Omit<Change, 'cursor'>), cursor: id });
  };

  const again = () => {
    if (isEnded || document.hidden) return;
    clearTimeout(timer);
    timer = setTimeout(connect, reconnectMs[Math.min(failures, reconnectMs.length - 1)]);
    failures++;
  };

  const read = async (signal: AbortSignal) => {
    const response = await fetch('/api/events', {
      signal,
      cache: 'no-store',
      headers: {
        authorization: `Bearer ${session.value?.key}`,
        ...(last !== undefined && { 'last-event-id': last }),
      },
    });
    if (response.status === 401) return signedOut('The key of this tab ended.');
    if (response.status === 410) {
      last = undefined;
      onState('missed');
      return;
    }
    if (!response.ok || !response.body) return;
    let text = '';
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const blocks = (text + part.value).split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) take(block);
    }
  };

  function connect(): void {
    const own = new AbortController();
    current?.abort();
    current = own;
    read(own.signal)
      // A lost connection: another try follows.
      .catch(() => undefined)
      .finally(() => {
        if (current !== own || isEnded || own.signal.aborted) return;
        onState('lost');
        again();
      });
  }

  const onVisible = () => {
    clearTimeout(timer);
    if (document.hidden) current?.abort();
    else connect();
  };
  document.addEventListener('visibilitychange', onVisible);
  onState('connecting');
  if (!document.hidden) connect();
  return () => {
    isEnded = true;
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', onVisible);
    current?.abort();
  };
}
