import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { ask, type Query } from '../api/client.ts';
import type { Finding, Findings, Memory } from '../api/records.ts';
import { mayWrite } from '../api/session.ts';
import { useQuery } from '../api/use-query.ts';
import { useViewKeys } from '../frame/keys.tsx';
import { reviewedFrom } from '../frame/rail.tsx';
import { Shown } from '../frame/states.tsx';
import { act } from '../frame/undo-bar.tsx';
import { ForeignText } from '../text/foreign-text.tsx';
import { count, moment, share, words } from '../words/words.ts';
import { addressOfMemory, timeOf } from './memory-row.tsx';

/** What can be reviewed, by the value in the address, with its request. */
const queues = {
  candidates: { state: 'candidate' },
  contradictions: { state: 'active', type: 'CONTRADICTS', undecided: true },
  duplicates: { state: 'active', type: 'DUPLICATES', undecided: true },
} as const;
type Queue = keyof typeof queues;
const queueNames = Object.keys(queues) as readonly Queue[];
const types = ['SUPERSEDES', 'FOLLOWS', 'RESOLVES', 'CONTRADICTS', 'REFERENCES', 'DUPLICATES'] as const;

const pageSize = 100;

const path = '/api/relationships';
const decide = (id: string, how: 'accept' | 'reject' | 'reopen', body?: unknown) =>
  ask<{ data: { id: string } }>({
    method: 'POST',
    path: `${path}/candidates/${encodeURIComponent(id)}/${how}`,
    body,
  });

/** What was found in the texts and waits for a person, one pair at a time. */
export function ReviewView() {
  const { query, route } = useLocation();
  const text = words().review;
  const queue = queueNames.find((name) => name === query.of) ?? 'candidates';
  const { reason } = query;
  const isAll = query.all === '1';
  const asked: Query = {
    ...queues[queue],
    reasonKind: reason,
    limit: pageSize,
    minConfidence: isAll ? undefined : reviewedFrom,
  };
  const found = useQuery<Findings>({ path, query: asked });
  const to = (next: { of?: Queue; reason?: string; all?: boolean }) => {
    const parameters = new URLSearchParams({ of: next.of ?? queue });
    if (next.reason !== undefined) parameters.set('reason', next.reason);
    if (next.all ?? isAll) parameters.set('all', '1');
    return `/ui/review?${parameters}`;
  };
  return (
    <section aria-labelledby="review-title">
      <div class="bar">
        <h1 id="review-title">{words().views.review}</h1>
        {queueNames.map((name) => (
          <a key={name} href={to({ of: name })} aria-current={name === queue ? 'page' : undefined}>
            {text.queues[name]}
          </a>
        ))}
        <label>
          <input type="checkbox" checked={isAll} onChange={() => route(to({ reason, all: !isAll }))} />{' '}
          {text.all}
        </label>
      </div>
      <Shown of={found}>
        {({ data, meta, pagination }) => (
          <>
            <Reasons groups={meta.reasons} chosen={reason} addressOf={(kind) => to({ reason: kind })} />
            {reason !== undefined && mayWrite.value && data.length > 0 && (
              <button type="button" onClick={() => void rejectAll(asked)}>
                {text.rejectAll(pagination.count)}
              </button>
            )}
            {data.length === 0 ? (
              <p class="empty">{text.empty}</p>
            ) : (
              <Pairs key={`${queue} ${reason ?? ''}`} found={data} total={pagination.count} />
            )}
          </>
        )}
      </Shown>
    </section>
  );
}

/** All of a query, however many pages: a rule that errs is rejected as a whole. */
function rejectAll(query: Query): Promise<void> {
  return act(words().review.rejected, async () => {
    const ids: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const { body } = await ask<Findings>({ path, query: { ...query, cursor } });
      ids.push(...body.data.map(({ id }) => id));
      cursor = body.pagination.nextCursor;
      if (cursor === undefined) break;
    }
    for (const id of ids) await decide(id, 'reject');
    return async () => {
      for (const id of ids) await decide(id, 'reopen');
    };
  });
}

interface ReasonsProps {
  readonly groups: Findings['meta']['reasons'];
  readonly chosen: string | undefined;
  readonly addressOf: (kind: string | undefined) => string;
}

/** The kinds of reasons, so that a whole wrong rule is seen and rejected at once. */
function Reasons({ groups, chosen, addressOf }: ReasonsProps) {
  if (groups.length < 2 && chosen === undefined) return null;
  return (
    <ul class="flow" aria-label={words().review.reasons}>
      {chosen !== undefined && (
        <li>
          <a href={addressOf(undefined)}>{words().review.allReasons}</a>
        </li>
      )}
      {groups.map(({ reasonKind, type, count: n }) => (
        <li key={`${reasonKind} ${type}`}>
          <a href={addressOf(reasonKind)} aria-current={chosen === reasonKind ? 'true' : undefined}>
            {type}: <bdi>{reasonKind}</bdi>
          </a>{' '}
          <span class="count">{count(n)}</span>
        </li>
      ))}
    </ul>
  );
}

/** One of them at a time; those put off come again at the end. */
function Pairs({ found, total }: { readonly found: readonly Finding[]; readonly total: number }) {
  const [later, putOff] = useState<readonly string[]>([]);
  const [shownType, setType] = useState<{ id: string; type: string }>();
  const [swapped, swap] = useState<string>();
  const text = words().review;
  const first = found.filter(({ id }) => !later.includes(id));
  const finding = first[0] ?? found[0];
  if (!finding) return null;
  const { id } = finding;
  const type = shownType?.id === id ? shownType.type : finding.type;
  const isSwapped = swapped === id;
  const accept = () =>
    act(text.accepted, async () => {
      const isAsFound = type === finding.type && !isSwapped;
      const { body } = await decide(id, 'accept', isAsFound ? undefined : { type, swap: isSwapped });
      if (isAsFound) return () => decide(id, 'reopen');
      return async () => {
        const [source] = isSwapped ? [finding.targetMemoryId] : [finding.sourceMemoryId];
        await ask({ method: 'DELETE', path: `/api/memories/${source}/relationships/${body.data.id}` });
        await decide(id, 'reopen');
      };
    });
  const reject = () =>
    act(text.rejected, async () => {
      await decide(id, 'reject');
      return () => decide(id, 'reopen');
    });
  const nextType = () =>
    setType({ id, type: types[(types.indexOf(type as never) + 1) % types.length] ?? type });
  const turn = () => swap(isSwapped ? undefined : id);
  const skip = () => putOff(first.length > 1 ? [...later, id] : [id]);
  useViewKeys(
    mayWrite.value
      ? { a: () => void accept(), r: () => void reject(), s: turn, t: nextType, ' ': skip }
      : { ' ': skip },
  );
  const [source, target] = isSwapped
    ? [finding.targetMemoryId, finding.sourceMemoryId]
    : [finding.sourceMemoryId, finding.targetMemoryId];
  const [saidLater, saidEarlier] = isSwapped
    ? [finding.evidence?.earlier, finding.evidence?.later]
    : [finding.evidence?.later, finding.evidence?.earlier];
  return (
    <article aria-label={text.pair}>
      <p>
        <b>{type}</b> {share(finding.confidence)} <span class="hint">{text.left(total)}</span>
      </p>
      <p class="hint">
        <bdi>{finding.reason}</bdi>
      </p>
      <div class="pair">
        <Side title={text.target} id={target} said={saidEarlier} />
        <Side title={text.source} id={source} said={saidLater} />
      </div>
      <p class="hint">{finding.keepsState ? text.keepsState : text.effects[type]}</p>
      <p class="bar">
        {mayWrite.value && (
          <>
            <button type="button" onClick={() => void accept()}>
              {text.accept} <kbd>a</kbd>
            </button>
            <button type="button" onClick={() => void reject()}>
              {text.reject} <kbd>r</kbd>
            </button>
            <button type="button" onClick={turn} aria-pressed={isSwapped}>
              {text.swap} <kbd>s</kbd>
            </button>
            <button type="button" onClick={nextType}>
              {text.otherType} <kbd>t</kbd>
            </button>
          </>
        )}
        <button type="button" onClick={skip}>
          {text.later}
        </button>
      </p>
    </article>
  );
}

interface SideProps {
  readonly title: string;
  readonly id: string;
  /** The words by which it was found. */
  readonly said: string | undefined;
}

function Side({ title, id, said }: SideProps) {
  const loaded = useQuery<{ data: Memory }>({ path: `/api/memories/${id}` }, { isBeside: true });
  return (
    <section class="side">
      <h2>{title}</h2>
      <Shown of={loaded}>
        {({ data: memory }) => (
          <>
            <p class="hint">
              <a href={addressOfMemory(id)}>{moment(timeOf(memory))}</a>
            </p>
            <ForeignText text={memory.content} hits={placeOf(memory.content, said)} />
          </>
        )}
      </Shown>
    </section>
  );
}

/** The text may have changed since it was compared. */
function placeOf(text: string, said: string | undefined) {
  const start = said ? text.indexOf(said) : -1;
  return said !== undefined && start >= 0 ? [{ start, end: start + said.length }] : [];
}
