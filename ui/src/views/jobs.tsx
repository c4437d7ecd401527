import { ask } from '../api/client.ts';
import type { Page } from '../api/records.ts';
import { mayWrite } from '../api/session.ts';
import { useQuery } from '../api/use-query.ts';
import { Shown } from '../frame/states.tsx';
import { act } from '../frame/undo-bar.tsx';
import { count, moment, words } from '../words/words.ts';
import { addressOfMemory } from './memory-row.tsx';

interface Job {
  readonly id: string;
  readonly step: string;
  readonly state: string;
  readonly memoryId: string;
  readonly attempts: number;
  readonly lastError?: string;
  readonly since: string;
}

const path = '/api/system/jobs';
const shownMax = 50;

/** What was given up of the work on memories, with another try, and what waits behind it. */
export function Jobs() {
  const failed = useQuery<Page<Job>>(
    { path, query: { state: 'failed', limit: shownMax } },
    { isBeside: true },
  );
  const waiting = useQuery<Page<Job>>({ path, query: { state: 'waiting', limit: 10 } }, { isBeside: true });
  const text = words().jobs;
  return (
    <>
      <Shown of={waiting}>
        {(page) => <List page={page} title={text.waiting} none={text.nothingWaits} />}
      </Shown>
      <Shown of={failed}>
        {(page) => <List page={page} title={text.failed} none={text.nothingFailed} />}
      </Shown>
    </>
  );
}

interface Props {
  readonly page: Page<Job>;
  readonly title: string;
  readonly none: string;
}

function List({ page: { data, pagination }, title, none }: Props) {
  const text = words().jobs;
  if (data.length === 0) return <p>{none}</p>;
  const retry = (ids: readonly string[]) =>
    act(text.retried(ids.length), async () => {
      for (const id of ids) await ask({ method: 'POST', path: `${path}/${encodeURIComponent(id)}/retry` });
      return undefined;
    });
  return (
    <section aria-label={title}>
      <h3>
        {title} <span class="count">{count(pagination.count)}</span>
      </h3>
      {mayWrite.value && data.length > 1 && (
        <button type="button" onClick={() => void retry(data.map(({ id }) => id))}>
          {text.retryAll(data.length)}
        </button>
      )}
      <ul class="entries">
        {data.map(({ id, step, memoryId, attempts, lastError, since }) => (
          <li key={id} data-job={id} data-row tabIndex={-1}>
            <span>
              {step} <a href={addressOfMemory(memoryId)}>{text.memory(memoryId.slice(0, 8))}</a>{' '}
              <span class="hint">
                {moment(since)} {attempts > 0 && text.tries(attempts)} <bdi>{lastError}</bdi>
              </span>
            </span>
            {mayWrite.value && (
              <button type="button" onClick={() => void retry([id])}>
                {text.retry}
              </button>
            )}
          </li>
        ))}
      </ul>
      {pagination.count > data.length && <p class="hint">{text.cut(data.length)}</p>}
    </section>
  );
}
