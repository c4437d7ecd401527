import { useState } from 'preact/hooks';
import { useQuery } from '../api/use-query.ts';
import { Shown } from '../frame/states.tsx';
import { count, moment, share, words } from '../words/words.ts';

interface Report {
  readonly data: {
    readonly generatedAt: string;
    readonly averageQuality: number;
    readonly qualityDistribution: { readonly high: number; readonly medium: number; readonly low: number };
    readonly pruningCandidates: number;
  };
}

/** How good the memories are: asked for only once it is opened, for it takes a second for many memories. */
export function Quality() {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{words().quality.title}</summary>
      {isOpen && <Numbers />}
    </details>
  );
}

function Numbers() {
  const [turn, setTurn] = useState(0);
  const report = useQuery<Report>(
    { path: '/api/system/memory/quality', query: { fresh: turn > 0 ? true : undefined } },
    { isBeside: true },
  );
  const text = words().quality;
  const again = () => (turn === 0 ? setTurn(1) : report.retry());
  return (
    <Shown of={report}>
      {({ data: { generatedAt, averageQuality, qualityDistribution: spread, pruningCandidates } }) => (
        <>
          <p data-judged={generatedAt}>
            {text.judged(moment(generatedAt))}{' '}
            <button type="button" onClick={again}>
              {text.fresh}
            </button>
          </p>
          <dl class="facts">
            <dt>{text.average}</dt>
            <dd>{share(averageQuality)}</dd>
            <dt>{text.high}</dt>
            <dd>{count(spread.high)}</dd>
            <dt>{text.medium}</dt>
            <dd>{count(spread.medium)}</dd>
            <dt>{text.low}</dt>
            <dd>{count(spread.low)}</dd>
            <dt>{text.prunable}</dt>
            <dd>{count(pruningCandidates)}</dd>
          </dl>
        </>
      )}
    </Shown>
  );
}
