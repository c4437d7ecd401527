import { session, signOut } from '../api/session.ts';
import { useQuery } from '../api/use-query.ts';
import { Shown } from '../frame/states.tsx';
import { moment, words } from '../words/words.ts';
import { Access } from './access.tsx';
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
    readonly webhooks: { readonly waiting: number; readonly dead: number; readonly waitingSince?: string };
  };
}

/** Whether all works, what waits, and who has access: keys and clients of OAuth. */
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
      <Access />
      <h2>{text.connect}</h2>
      <pre>{`claude mcp add --transport http memoryd ${location.origin}/mcp --header "Authorization: Bearer $MEMORYD_KEY"`}</pre>
    </section>
  );
}

function Work({ data }: Status) {
  const text = words().service;
  const { waiting: messages, dead, waitingSince } = data.webhooks;
  return (
    <>
      <h2>{text.store}</h2>
      <p>
        {words().memories(data.memories)}, {data.database.engine}
      </p>
      <h2>{text.waiting}</h2>
      {data.jobs.length === 0 && messages + dead === 0 && <p>{text.nothingWaits}</p>}
      <ul>
        {data.jobs.map(({ step, waiting, failed, parked }) => (
          <li key={step}>
            {step}: {waiting} {(failed ?? parked ?? 0) > 0 && <b>{failed ?? parked} failed</b>}
          </li>
        ))}
        {messages + dead > 0 && (
          <li>
            {text.webhooks(messages)} {waitingSince !== undefined && text.since(moment(waitingSince))}{' '}
            {dead > 0 && <b>{text.deadLetters(dead)}</b>}
          </li>
        )}
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
