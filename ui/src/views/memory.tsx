import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { ask } from '../api/client.ts';
import type { FullMemory, Memory, Page, Placed } from '../api/records.ts';
import { mayWrite } from '../api/session.ts';
import { useQuery } from '../api/use-query.ts';
import { useViewKeys } from '../frame/keys.tsx';
import { addressOf } from '../frame/query-bar.tsx';
import { Shown } from '../frame/states.tsx';
import { act } from '../frame/undo-bar.tsx';
import { aroundOf } from '../graph/addresses.ts';
import { ForeignText } from '../text/foreign-text.tsx';
import type { Range } from '../text/parts.ts';
import { moment, words } from '../words/words.ts';
import { EditMemory, hasDraft } from './edit-memory.tsx';
import { KnownOf, pointedAt } from './known-of-memory.tsx';
import { MemoryRow, timeOf } from './memory-row.tsx';
import { Versions, WrittenBy } from './memory-versions.tsx';

/** Memories that went to the trash in this tab: they are not asked for until they are back. */
const trashed = signal<ReadonlySet<string>>(new Set());

const whole = /^[\da-f-]{36}$/i;

/** One memory, by its id or the beginning of it. */
export function MemoryView() {
  const { id = '' } = useRoute().params;
  return whole.test(id) ? <WholeMemory id={id} /> : <ByPrefix prefix={id} />;
}

function ByPrefix({ prefix }: { readonly prefix: string }) {
  const { route } = useLocation();
  const found = useQuery<Page<Memory>>({ path: '/api/memories', query: { idPrefix: prefix, limit: 20 } });
  return (
    <Shown of={found} title={words().memory.title}>
      {({ data }) => {
        const [only] = data;
        if (data.length === 1 && only) {
          route(`/ui/m/${only.id}`, true);
          return null;
        }
        return (
          <>
            <h1>{words().memory.title}</h1>
            <p class="empty">{data.length === 0 ? words().memory.unknown : words().memory.ambiguous}</p>
            {data.map((memory) => (
              <MemoryRow key={memory.id} memory={memory} />
            ))}
          </>
        );
      }}
    </Shown>
  );
}

function WholeMemory({ id }: { readonly id: string }) {
  const { asOf } = useLocation().query;
  const isTrashed = trashed.value.has(id);
  const loaded = useQuery<{ data: FullMemory }>(
    { path: `/api/memories/${id}`, query: { detail: 'full', asOfTime: asOf } },
    { isOff: isTrashed },
  );
  if (isTrashed) return <h1 class="empty">{words().memory.toTrash}</h1>;
  return (
    <Shown of={loaded} title={words().memory.title}>
      {({ data }) => <Loaded key={data.id} memory={data} />}
    </Shown>
  );
}

function Loaded({ memory }: { readonly memory: FullMemory }) {
  const [isEdited, edit] = useState(hasDraft(memory.id));
  const text = words().memory;
  const trash = () =>
    act(text.toTrash, async () => {
      const { headers } = await ask({ method: 'DELETE', path: `/api/memories/${memory.id}` });
      const entry = headers.get('trash-entry');
      const others = new Set(trashed.value);
      trashed.value = new Set(others).add(memory.id);
      if (entry === null) return undefined;
      return async () => {
        await ask({ method: 'POST', path: `/api/trash/${entry}/restore` });
        trashed.value = others;
      };
    });
  const { asOf, at } = useLocation().query;
  const isWritable = mayWrite.value && !asOf;
  useViewKeys(isWritable ? { e: () => edit(true), '#': () => void trash() } : {});
  const state = memory.effectiveState ?? 'current';
  return (
    <article aria-labelledby="memory-title">
      <div class="bar">
        <h1 id="memory-title">{memory.name === undefined ? text.title : <bdi>{memory.name}</bdi>}</h1>
        <i class={`state ${state}`}>{words().state[state] ?? state}</i>
        <time class="hint" dateTime={timeOf(memory)}>
          {moment(timeOf(memory))}
        </time>
        <WrittenBy by={memory.createdBy} />
        <a href={aroundOf({ kind: 'memory', id: memory.id })}>{words().views.graph}</a>
        {isWritable ? (
          <>
            <button type="button" onClick={() => edit(true)}>
              {text.edit} <kbd>e</kbd>
            </button>
            <button type="button" onClick={() => void trash()}>
              {text.trash} <kbd>#</kbd>
            </button>
          </>
        ) : (
          !asOf && <span class="hint">{words().readOnly}</span>
        )}
      </div>
      {isEdited && isWritable ? (
        <EditMemory memory={memory} onEnd={() => edit(false)} />
      ) : (
        <div class="content">
          <MarkedText memory={memory} at={placeIn(at)} />
        </div>
      )}
      <Versions memory={memory} />
      <KnownOf memory={memory} />
      <AskWhy memory={memory} />
    </article>
  );
}

/** `12-30` */
function placeIn(at = ''): Range | undefined {
  const [, start, end] = /^(\d+)-(\d+)$/.exec(at) ?? [];
  return start === undefined ? undefined : { start: Number(start), end: Number(end) };
}

/** The text with the words of what is pointed at, else of its address, else of all people and things. */
function MarkedText({ memory, at }: { readonly memory: FullMemory; readonly at: Range | undefined }) {
  const text = useRef<HTMLDivElement>(null);
  const { start, end } = pointedAt.value ?? at ?? {};
  const one = start === undefined || end === undefined ? undefined : { start, end };
  useEffect(() => text.current?.querySelector('mark')?.scrollIntoView({ block: 'nearest' }), [at?.start]);
  return (
    <div ref={text} class={one ? undefined : 'entities'}>
      <ForeignText
        key={one && one.end > 4000 ? 'whole' : 'part'}
        text={memory.content}
        hits={one ? [one] : apart(memory.entities ?? [])}
        isWhole={one !== undefined && one.end > 4000}
      />
    </div>
  );
}

/** Places in order; of those that overlap, the first. */
function apart(placed: readonly Placed[]): Range[] {
  const ranges = placed.flatMap(({ start, end }) =>
    start === undefined || end === undefined ? [] : [{ start, end }],
  );
  const kept: Range[] = [];
  for (const range of ranges.sort((a, b) => a.start - b.start))
    if (range.start >= (kept.at(-1)?.end ?? 0)) kept.push(range);
  return kept;
}

/** Asks a search why this memory was not found by it. */
function AskWhy({ memory }: { readonly memory: FullMemory }) {
  const { route } = useLocation();
  const ask = (event: Event) => {
    event.preventDefault();
    const q = String(new FormData(event.currentTarget as HTMLFormElement).get('query'));
    route(addressOf({ q, why: memory.id }));
  };
  return (
    <form class="bar" onSubmit={ask}>
      <label>
        {words().explained.askOf} <input name="query" required autocomplete="off" />
      </label>
      <button type="submit">{words().explained.show}</button>
    </form>
  );
}
