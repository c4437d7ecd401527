import { useState } from 'preact/hooks';
import { ask } from '../api/client.ts';
import { session, signOut } from '../api/session.ts';
import { useQuery } from '../api/use-query.ts';
import { Shown } from '../frame/states.tsx';
import { act } from '../frame/undo-bar.tsx';
import { moment, words } from '../words/words.ts';
import { Jobs } from './jobs.tsx';
import { Quality } from './quality.tsx';

interface Health {
  readonly status: string;
  readonly version: string;
  readonly checks: Readonly<Record<string, { readonly status: string; readonly detail?: string }>>;
}

interface Status {
  readonly data: {
    readonly memories: number;
    readonly conversations: number;
    readonly topics: number;
    readonly database: { readonly engine: string };
    readonly embedding: {
      readonly spaces: readonly {
        model: string;
        state: string;
        done: number;
        total: number;
        waiting: number;
        failed: number;
      }[];
    };
    readonly jobs: readonly { step: string; waiting: number; parked?: number; failed?: number }[];
  };
}

interface Key {
  readonly id: string;
  readonly label: string;
  readonly prefix: string;
  readonly scopes: readonly string[];
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
}

/** Whether all works, what waits, and the keys of the user. */
export function ServiceView() {
  const health = useQuery<Health>({ path: '/health' }, { isBeside: true });
  const status = useQuery<Status>({ path: '/api/system/context/status' });
  const text = words().service;
  return (
    <section aria-labelledby="service-title">
      <div class="bar">
        <h1 id="service-title">{text.title}</h1>
        <span class="hint">{session.value?.scopes.join(', ')}</span>
        <button type="button" onClick={() => void signOut()}>
          {words().signIn.out}
        </button>
      </div>
      <h2>{text.health}</h2>
      <Shown of={health}>
        {({ status: state, version, checks }) => (
          <dl class="facts">
            <dt>memoryd {version}</dt>
            <dd>{state}</dd>
            {Object.entries(checks).map(([name, check]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>
                  {check.status} {check.detail}
                </dd>
              </div>
            ))}
          </dl>
        )}
      </Shown>
      <Shown of={status}>{({ data }) => <Work data={data} />}</Shown>
      <Jobs />
      <Quality />
      <Keys />
      <h2>{text.connect}</h2>
      <pre>{`claude mcp add --transport http memoryd ${location.origin}/mcp --header "Authorization: Bearer $MEMORYD_KEY"`}</pre>
    </section>
  );
}

function Work({ data }: Status) {
  const text = words().service;
  return (
    <>
      <h2>{text.store}</h2>
      <p>
        {words().memories(data.memories)}, {data.database.engine}
      </p>
      <h2>{text.waiting}</h2>
      {data.jobs.length === 0 && <p>{text.nothingWaits}</p>}
      <ul>
        {data.jobs.map(({ step, waiting, failed, parked }) => (
          <li key={step}>
            {step}: {waiting} {(failed ?? parked ?? 0) > 0 && <b>{failed ?? parked} failed</b>}
          </li>
        ))}
      </ul>
      <h2>{text.vectors}</h2>
      <ul>
        {data.embedding.spaces.map(({ model, state, waiting, failed }) => (
          <li key={model}>
            {model}: {state} {waiting > 0 && waiting} {failed > 0 && <b>{failed} failed</b>}
          </li>
        ))}
      </ul>
    </>
  );
}

/** Keys can be seen with the scope admin alone, which the key of the tab has not: one is asked for, and not kept. */
function Keys() {
  const text = words().service;
  const [admin, setAdmin] = useState<string | undefined>();
  const [keys, setKeys] = useState<readonly Key[]>([]);
  const [made, setMade] = useState<string | undefined>();
  const list = async (key: string) => {
    const { body } = await ask<{ data: readonly Key[] }>({ path: '/api/apikeys', key });
    setKeys(body.data);
    setAdmin(key);
  };
  const fieldOf = (event: Event, name: string) => {
    event.preventDefault();
    return String(new FormData(event.currentTarget as HTMLFormElement).get(name)).trim();
  };
  const show = (event: Event) => {
    const key = fieldOf(event, 'admin');
    return act('', async () => void (await list(key)));
  };
  const make = (event: Event) => {
    const label = fieldOf(event, 'label');
    return act('', async () => {
      const body = { label, scopes: ['read', 'write'] };
      const path = '/api/apikeys';
      const { body: answer } = await ask<{ data: { apiKey: string } }>({
        method: 'POST',
        path,
        body,
        key: admin,
      });
      setMade(answer.data.apiKey);
      await list(admin ?? '');
      return undefined;
    });
  };
  const end = (id: string) =>
    act(text.ended, async () => {
      await ask({ method: 'DELETE', path: `/api/apikeys/${id}`, key: admin });
      await list(admin ?? '');
      return undefined;
    });
  return (
    <>
      <h2>{text.keys}</h2>
      {admin === undefined ? (
        <form class="bar" onSubmit={(event) => void show(event)}>
          <label>
            {text.keysNeedAdmin} <input name="admin" type="password" autocomplete="off" required />
          </label>
          <button type="submit">{text.show}</button>
        </form>
      ) : (
        <>
          <form class="bar" onSubmit={(event) => void make(event)}>
            <label>
              {text.label} <input name="label" maxLength={100} required />
            </label>
            <button type="submit">{text.make}</button>
          </form>
          {made !== undefined && (
            <p class="note">
              {text.madeOnce} <code>{made}</code>
            </p>
          )}
          <ul class="entries">
            {keys.map(({ id, label, prefix, scopes, expiresAt, lastUsedAt }) => (
              <li key={id}>
                <bdi>{label}</bdi> <code>{prefix}</code> <span class="hint">{scopes.join(', ')}</span>
                <span class="hint">
                  {lastUsedAt === null ? text.never : text.lastUsed(moment(lastUsedAt))}
                  {expiresAt !== null && `, ${text.endsAt(moment(expiresAt))}`}
                </span>
                <button type="button" onClick={() => void end(id)}>
                  {text.end}
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
