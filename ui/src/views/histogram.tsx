import { useQuery } from '../api/use-query.ts';
import { words } from '../words/words.ts';

interface Bar {
  readonly from: string;
  readonly to: string;
  readonly count: number;
}

interface Props {
  readonly field: string;
  /** The time as of which memories are counted, if not now. */
  readonly asOf: string | undefined;
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly onRange: (from: string | undefined, to: string | undefined) => void;
}

const height = 48;

/** Parameters of a list for a range of this time: that of events has names of its own. */
export function rangeOf(field: string, from: string | undefined, to: string | undefined) {
  return field === 'createdAt' ? { from, to } : { eventTimeFrom: from, eventTimeTo: to };
}

/** Counts over time. A click shows the time of a bar, arrow keys move from bar to bar. */
export function Histogram({ field, asOf, from, to, onRange }: Props) {
  const loaded = useQuery<{ data: readonly Bar[] }>(
    {
      path: '/api/memories/histogram',
      query: {
        field,
        ...rangeOf(field, from, to),
        asOfTime: asOf,
        timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      },
    },
    { isBeside: true },
  );
  const bars = loaded.data?.data ?? [];
  if (bars.length === 0 && from === undefined && to === undefined) return null;
  const most = Math.max(...bars.map(({ count }) => count));
  const move = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const all = [
      ...((event.currentTarget as Element).parentElement?.querySelectorAll<SVGElement>('[tabindex]') ?? []),
    ];
    all[all.indexOf(event.currentTarget as SVGElement) + step]?.focus();
  };
  return (
    <figure class="histogram">
      {/* biome-ignore lint/a11y/useSemanticElements: SVG has no fieldset */}
      <svg
        viewBox={`0 0 ${bars.length * 10} ${height}`}
        preserveAspectRatio="none"
        role="group"
        aria-label={words().timeline.histogram}
      >
        {bars.map((bar, i) => {
          const size = bar.count === 0 ? 0 : Math.max(2, (bar.count / most) * height);
          const show = () => onRange(bar.from, lastMoment(bar));
          return (
            // biome-ignore lint/a11y/useSemanticElements: SVG has no button
            <g
              key={bar.from}
              role="button"
              tabIndex={i === 0 || bar.count > 0 ? 0 : -1}
              aria-label={words().timeline.bar(bar.from.slice(0, 10), bar.count)}
              onClick={show}
              onKeyDown={(event) => (event.key === 'Enter' ? show() : move(event))}
            >
              <rect class="hit" x={i * 10} y={0} width={10} height={height} />
              <rect x={i * 10 + 1} y={height - size} width={8} height={size} />
            </g>
          );
        })}
      </svg>
      <figcaption class="hint">
        <span>{bars[0]?.from.slice(0, 10)}</span>
        {(from || to) && (
          <button type="button" class="quiet" onClick={() => onRange(undefined, undefined)}>
            {words().timeline.all}
          </button>
        )}
        <span>{bars.at(-1)?.to.slice(0, 10)}</span>
      </figcaption>
    </figure>
  );
}

/** Filters of the API include their end, which is the begin of the next bar. */
const lastMoment = ({ to }: Bar) => new Date(Date.parse(to) - 1).toISOString();
