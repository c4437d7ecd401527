import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { ask } from '../api/client.ts';
import type { FullMemory, Memory, Page } from '../api/records.ts';
import { mayWrite } from '../api/session.ts';
import { useQuery } from '../api/use-query.ts';
import { useViewKeys } from '../frame/keys.tsx';
import { Shown } from '../frame/states.tsx';
import { act } from '../frame/undo-bar.tsx';
import { ForeignText } from '../text/foreign-text.tsx';
import { moment, words } from '../words/words.ts';
import { EditMemory } from './edit-memory.tsx';
import { KnownOf } from './known-of-memory.tsx';
import { MemoryRow, timeOf } from './memory-row.tsx';
import { Versions } from './memory-versions.tsx';

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
  const isTrashed = trashed.value.has(id);
  const loaded = useQuery<{ data: FullMemory }>(
    { path: `/api/memories/${id}`, query: { detail: 'full' } },
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
  const [isEdited, edit] = useState(false);
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
  const isWritable = mayWrite.value;
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
          <span class="hint">{words().readOnly}</span>
        )}
      </div>
      {isEdited ? (
        <EditMemory memory={memory} onEnd={() => edit(false)} />
      ) : (
        <div class="content">
          <ForeignText text={memory.content} />
        </div>
      )}
      <Versions memory={memory} />
      <KnownOf memory={memory} />
    </article>
  );
}
