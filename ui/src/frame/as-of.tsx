import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { useQuery } from '../api/use-query.ts';
import { moment, shortDay, words } from '../words/words.ts';

interface Bar {
  readonly from: string;
  readonly to: string;
  readonly count: number;
}

/** Timeline, search and the page of a memory: their endpoints take a time. */
const canLookBack = (path: string) => /^\/ui\/?$|^\/ui\/(search|m)(\/|$)/.test(path);
const height = 24;

function shownTime(asOf: string): string {
  if (Number.isNaN(Date.parse(asOf))) return asOf;
  return asOf.includes('T') ? moment(asOf) : shortDay(asOf);
}

/** The time that every view is asked for: in the address, chosen by a date or a slider over what was written when. */
export function AsOf() {
  const { query, path, route } = useLocation();
  const { asOf } = query;
  const [isOpen, setOpen] = useState(false);
  const text = words().asOf;
  const at = (time: string | undefined) => {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries({ ...query, asOf: time }))
      if (value) parameters.set(name, value);
    return parameters.size === 0 ? path : `${path}?${parameters}`;
  };
  const go = (time: string | undefined) => route(at(time));
  return (
    <>
      <details
        class="as-of"
        open={isOpen || asOf !== undefined}
        onToggle={(event) => setOpen(event.currentTarget.open)}
      >
        <summary>
          {text.label}: <bdi>{asOf === undefined ? text.now : shownTime(asOf)}</bdi>
        </summary>
        <div class="bar">
          <label>
            {text.date}{' '}
            <input
              type="date"
              value={asOf?.slice(0, 10) ?? ''}
              onChange={(event) => go(event.currentTarget.value || undefined)}
            />
          </label>
          {(isOpen || asOf !== undefined) && <Slider asOf={asOf} go={go} />}
        </div>
      </details>
      {asOf !== undefined && (
        <p class="note">
          {canLookBack(path) ? text.lookingBack(shownTime(asOf)) : text.cannot}{' '}
          <a href={at(undefined)}>{text.backToNow}</a>
        </p>
      )}
    </>
  );
}

interface SliderProps {
  readonly asOf: string | undefined;
  readonly go: (time: string | undefined) => void;
}

function Slider({ asOf, go }: SliderProps) {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const loaded = useQuery<{ data: readonly Bar[] }>(
    { path: '/api/memories/histogram', query: { field: 'createdAt', timeZone } },
    { isBeside: true },
  );
  const bars = loaded.data?.data ?? [];
  const last = bars.length - 1;
  // The end of the last bar is now, or still to come.
  if (last < 1) return null;
  const most = Math.max(...bars.map(({ count }) => count));
  const found = asOf === undefined ? -1 : bars.findIndex(({ to }) => Date.parse(to) > Date.parse(asOf));
  const chosen = found < 0 ? last : found;
  const end = ({ to }: Bar) => new Date(Date.parse(to) - 1).toISOString();
  const choose = (index: number) => {
    const bar = bars[index];
    go(bar === undefined || index >= last ? undefined : end(bar));
  };
  const bar = bars[chosen];
  return (
    <label class="slider">
      {words().asOf.slider}
      <svg viewBox={`0 0 ${bars.length * 10} ${height}`} preserveAspectRatio="none" aria-hidden="true">
        {bars.map(({ from, count }, i) => {
          const size = (count / most) * height;
          return <rect key={from} x={i * 10 + 1} y={height - size} width={8} height={size} />;
        })}
      </svg>
      <input
        type="range"
        min={0}
        max={last}
        value={chosen}
        aria-valuetext={chosen === last || !bar ? words().asOf.now : shortDay(end(bar))}
        onChange={(event) => choose(Number(event.currentTarget.value))}
      />
    </label>
  );
}
