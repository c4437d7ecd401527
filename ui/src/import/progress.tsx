import { useState } from 'preact/hooks';
import { words } from '../words/words.ts';
import { Reason } from './reason.tsx';
import { type Counts, close, type Dropped, goOn, pause, undoImport } from './run.ts';

interface Props {
  readonly of: Dropped;
}

/** How far the import is, what was refused, and at its end the way back. */
export function Progress({ of }: Props) {
  const { file, phase, counts, failure } = of;
  const text = words().import;
  const seconds = counts.workMs / 1000;
  return (
    <>
      <div class="bar">
        <span role="status" data-phase={phase}>
          {text.phases[phase]}
        </span>
        <Buttons of={of} />
      </div>
      {failure !== undefined && (
        <p role="alert" class="failure">
          {failure}
        </p>
      )}
      <progress
        class="import-progress"
        aria-label={text.progress}
        max={Math.max(file.size, 1)}
        value={counts.bytes}
      />
      <p data-items={counts.items}>
        {text.items(counts.items)}
        {seconds > 0 && <span class="hint"> {text.rate(Math.round(counts.items / seconds))}</span>}
      </p>
      <ul class="flow">
        <li data-created={counts.created}>{text.created(counts.created)}</li>
        {counts.updated > 0 && <li data-updated={counts.updated}>{text.updated(counts.updated)}</li>}
        {counts.keptEdit > 0 && <li>{text.keptEdit(counts.keptEdit)}</li>}
        <li data-existing={counts.existing}>{text.existing(counts.existing)}</li>
        {counts.inTrash > 0 && <li>{text.inTrash(counts.inTrash)}</li>}
        <li data-refused={counts.refused}>{text.refused(counts.refused)}</li>
      </ul>
      <Refusals counts={counts} layout={of.layout} />
      {counts.ignored.size > 0 && (
        <p>
          {text.ignored}
          {': '}
          <bdi>{[...counts.ignored].map(([name, times]) => `${name} (${times})`).join(', ')}</bdi>
        </p>
      )}
    </>
  );
}

function Buttons({ of: { phase, importId, counts, createdBefore } }: Props) {
  const text = words().import;
  const [isBusy, setBusy] = useState(false);
  const takeBack = async () => {
    setBusy(true);
    await undoImport(importId ?? '');
    setBusy(false);
  };
  if (phase !== 'done')
    return (
      <>
        <button type="button" onClick={phase === 'paused' ? goOn : pause}>
          {phase === 'paused' ? text.resume : text.pause}
        </button>
        {phase === 'paused' && (
          <button type="button" class="quiet" onClick={close}>
            {text.stop}
          </button>
        )}
      </>
    );
  return (
    <>
      {importId !== undefined && counts.created + counts.updated + createdBefore > 0 && (
        <button type="button" disabled={isBusy} onClick={() => void takeBack()}>
          {isBusy ? text.working : text.undo}
        </button>
      )}
      <button type="button" class="quiet" onClick={close}>
        {text.close}
      </button>
    </>
  );
}

interface RefusalsProps {
  readonly counts: Counts;
  readonly layout: Dropped['layout'];
}

function Refusals({ counts: { refused, refusals }, layout }: RefusalsProps) {
  const text = words().import;
  if (refusals.length === 0) return null;
  return (
    <section aria-label={text.refusals}>
      <h3>{text.refusals}</h3>
      <ul>
        {refusals.map(({ number, reason }) => (
          <li key={number} data-line={number}>
            {(layout === 'list' ? text.element : text.line)(number)}
            {': '}
            <Reason reason={reason} />
          </li>
        ))}
      </ul>
      {refused > refusals.length && <p>{text.moreRefusals(refused - refusals.length)}</p>}
    </section>
  );
}
