import { useEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { Memory, Page } from '../api/records.ts';
import { type Pages, usePages } from '../api/use-pages.ts';
import { useQuery } from '../api/use-query.ts';
import { More, Shown } from '../frame/states.tsx';
import { day, words } from '../words/words.ts';
import { Histogram, rangeOf } from './histogram.tsx';
import { MemoryRow, timeOf } from './memory-row.tsx';

const fields = ['eventTime', 'createdAt'] as const;

/** All memories, newest first, without a query: by days, with a histogram to jump. */
export function TimelineView() {
  const { query, route } = useLocation();
  const field = query.by === 'createdAt' ? 'createdAt' : 'eventTime';
  const { from, to, asOf } = query;
  const pages = usePages<Memory>('/api/memories', {
    sortBy: field,
    order: 'desc',
    ...rangeOf(field, from, to),
    asOfTime: asOf,
  });
  const text = words().timeline;
  const go = (next: Record<string, string | undefined>) => {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries({ by: query.by, asOf, ...next }))
      if (value) parameters.set(name, value);
    route(`/ui/?${parameters}`);
  };
  return (
    <section aria-labelledby="timeline-title">
      <div class="bar">
        <h1 id="timeline-title">{words().views.timeline}</h1>
        <label>
          {text.by}{' '}
          <select value={field} onChange={(event) => go({ by: event.currentTarget.value })}>
            {fields.map((name) => (
              <option key={name} value={name}>
                {text[name]}
              </option>
            ))}
          </select>
        </label>
        <span class="hint">{words().memories(pages.count)}</span>
      </div>
      <Histogram
        field={field}
        asOf={asOf}
        from={from}
        to={to}
        onRange={(start, end) => go({ from: start, to: end })}
      />
      {asOf === undefined && <Fresh pages={pages} />}
      <Shown of={pages}>
        {(rows) =>
          rows.length === 0 ? (
            asOf === undefined ? (
              <FirstMemory />
            ) : (
              <p class="empty">{words().asOf.nothingYet}</p>
            )
          ) : (
            <Days rows={rows} pages={pages} asOf={asOf} />
          )
        }
      </Shown>
    </section>
  );
}

interface DaysProps {
  readonly rows: readonly Memory[];
  readonly pages: Pages<Memory>;
  readonly asOf: string | undefined;
}

function Days({ rows, pages, asOf }: DaysProps) {
  const days = Map.groupBy(rows, (memory) => day(timeOf(memory)));
  const end = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const seen = new IntersectionObserver(([entry]) => entry?.isIntersecting && pages.more?.(), {
      rootMargin: '600px',
    });
    if (end.current) seen.observe(end.current);
    return () => seen.disconnect();
  });
  return (
    <>
      {pages.dropped > 0 && (
        <button type="button" class="quiet" onClick={pages.restart}>
          {words().timeline.all}
        </button>
      )}
      {[...days].map(([name, memories]) => (
        <section key={name} class="day">
          <h2>
            {name} <span class="hint">{words().memories(memories.length)}</span>
          </h2>
          {memories.map((memory) => (
            <MemoryRow key={memory.id} memory={memory} asOf={asOf} />
          ))}
        </section>
      ))}
      <More of={pages} button={end} />
    </>
  );
}

const lookEveryMs = 10_000;

/** Rows written meanwhile wait for a click: nothing moves under the eye. */
function Fresh({ pages }: { readonly pages: Pages<Memory> }) {
  const seen = useRef<number | undefined>(undefined);
  const now = useQuery<Page<Memory>>(
    { path: '/api/memories', query: { limit: 1 } },
    { isBeside: true, everyMs: lookEveryMs },
  );
  const total = now.data?.pagination.count;
  seen.current ??= total;
  const fresh = total === undefined || seen.current === undefined ? 0 : total - seen.current;
  if (fresh <= 0) return null;
  const show = () => {
    seen.current = total;
    pages.restart();
  };
  return (
    <button type="button" onClick={show}>
      {words().timeline.fresh(fresh)}
    </button>
  );
}

function FirstMemory() {
  const line = `curl -s ${location.origin}/api/memories -H "Authorization: Bearer $MEMORYD_KEY" -H 'Content-Type: application/json' -d '{"content": "Ana prefers the window seat"}'`;
  return (
    <div class="empty">
      <p>{words().timeline.empty}</p>
      <pre>{line}</pre>
    </div>
  );
}
