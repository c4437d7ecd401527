import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiFailure, ask } from '../api/client.ts';
import { type Change, follow, type StreamState } from '../api/follow.ts';
import type { Memory } from '../api/records.ts';
import { words } from '../words/words.ts';
import { addressOfMemory, MemoryRow } from './memory-row.tsx';

/** Rows in the document; older ones are in the timeline. */
const shownMax = 200;
const withText: ReadonlySet<string> = new Set(['created', 'changed', 'restored']);

interface Row extends Change {
  /** Undefined where there is no text, or none any more. */
  readonly memory?: Memory;
}

const retryMs = 1000;

async function rowOf(change: Change, isOpen: () => boolean): Promise<Row> {
  if (change.kind !== 'memory' || !withText.has(change.action)) return change;
  while (isOpen())
    try {
      const { body } = await ask<{ data: Memory }>({ path: `/api/memories/${change.id}` });
      return { ...change, memory: body.data };
    } catch (error) {
      // It was deleted since, or cannot be read: the row names it alone.
      if (error instanceof ApiFailure && error.status >= 400 && error.status < 500) return change;
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  return change;
}

/** What an agent writes, as it writes. Nothing moves under an eye that is not at the top, or while it is paused. */
export function LiveView() {
  const [state, setState] = useState<StreamState>('connecting');
  const [isPaused, setPaused] = useState(false);
  const [rows, setRows] = useState<readonly Row[]>([]);
  const [waiting, setWaiting] = useState<readonly Row[]>([]);
  const paused = useRef(false);
  paused.current = isPaused;
  useEffect(() => {
    // Rows stay in the order of the changes, however long their texts take.
    let before = Promise.resolve();
    let isOpen = true;
    const take = (row: Row) => {
      if (!isOpen) return;
      const add = paused.current || scrollY > 0 ? setWaiting : setRows;
      add((now) => [row, ...now].slice(0, shownMax));
    };
    const onChange = (change: Change) => {
      const row = rowOf(change, () => isOpen);
      before = before.then(async () => take(await row));
    };
    const end = follow({ onChange, onState: setState });
    return () => {
      isOpen = false;
      end();
    };
  }, []);
  const show = () => {
    setRows((now) => [...waiting, ...now].slice(0, shownMax));
    setWaiting([]);
  };
  const toggle = () => {
    if (isPaused) show();
    setPaused(!isPaused);
  };
  const text = words().live;
  return (
    <section aria-labelledby="live-title">
      <div class="bar">
        <h1 id="live-title">{words().views.live}</h1>
        <button type="button" aria-pressed={isPaused} onClick={toggle}>
          {isPaused ? text.resume : text.pause}
        </button>
        <span class="hint" role="status" data-stream={state}>
          {isPaused ? text.paused : text[state]}
        </span>
      </div>
      <div role="status">
        {waiting.length > 0 && (
          <button type="button" onClick={show}>
            {text.waiting(waiting.length)}
          </button>
        )}
      </div>
      {rows.length === 0 && <p class="empty">{text.none}</p>}
      <ol class="plain" aria-label={text.list}>
        {rows.map((row) => (
          <li key={row.cursor} data-change={row.id}>
            <LiveRow row={row} />
          </li>
        ))}
      </ol>
      {rows.length === shownMax && <p class="hint">{text.cut(shownMax)}</p>}
    </section>
  );
}

function LiveRow({ row: { kind, action, id, memory } }: { readonly row: Row }) {
  const what = words().live.actions[action] ?? action;
  if (memory) return <MemoryRow memory={memory} hasDay text={`${what}: ${memory.content}`} />;
  const line = (
    <>
      <span>{what}</span> <span class="text">{kind}</span> <code>{id}</code>
    </>
  );
  const isThere = kind === 'memory' && action !== 'deleted' && action !== 'erased';
  return isThere ? (
    <a class="row" data-row href={addressOfMemory(id)}>
      {line}
    </a>
  ) : (
    <div class="row">{line}</div>
  );
}
