import { useState } from 'preact/hooks';
import { ask } from '../api/client.ts';
import { useQuery } from '../api/use-query.ts';
import { act } from '../frame/undo-bar.tsx';
import { ForeignText } from '../text/foreign-text.tsx';
import { moment, words } from '../words/words.ts';

interface Key {
  readonly id: string;
  readonly label: string;
  readonly prefix: string;
  readonly scopes: readonly string[];
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
}

interface Grant {
  readonly id: string;
  /** What the client calls itself: a text of a stranger. */
  readonly clientName: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly keyId: string;
  readonly createdAt: string;
  readonly expiresAt: string;
}

interface Accesses {
  readonly keys: readonly Key[];
  readonly grants: readonly Grant[];
}

const keysPath = '/api/apikeys';
const grantsPath = '/api/oauth/grants';

async function listOf<T>(path: string, key: string): Promise<readonly T[]> {
  return (await ask<{ data: readonly T[] }>({ path, key })).body.data;
}

function fieldOf(event: Event, name: string): string {
  event.preventDefault();
  return String(new FormData(event.currentTarget as HTMLFormElement).get(name)).trim();
}

/**
 * Keys and the clients of OAuth can be seen with the scope admin alone, which the key of the tab has not: one is asked
 * for, and not kept.
 */
export function Access() {
  const flags = useQuery<{ data: { readonly oauth?: boolean } }>(
    { path: '/api/system/feature-flags' },
    { isBeside: true },
  );
  const hasClients = flags.data?.data.oauth === true;
  const text = words().service;
  const [admin, setAdmin] = useState<string | undefined>();
  const [{ keys, grants }, setAccesses] = useState<Accesses>({ keys: [], grants: [] });
  const list = async (key: string) => {
    setAccesses({ keys: await listOf<Key>(keysPath, key), grants: await listOf<Grant>(grantsPath, key) });
    setAdmin(key);
  };
  const show = (event: Event) => {
    const key = fieldOf(event, 'admin');
    return act('', async () => void (await list(key)));
  };
  if (admin === undefined)
    return (
      <>
        <h2>{text.keys}</h2>
        <form class="bar" onSubmit={(event) => void show(event)}>
          <label>
            {hasClients ? text.accessNeedsAdmin : text.keysNeedAdmin}{' '}
            <input name="admin" type="password" autocomplete="off" required />
          </label>
          <button type="submit">{hasClients ? text.showAccess : text.show}</button>
        </form>
      </>
    );
  /** Asks first: neither a key nor a grant comes back. */
  const end = async (path: string, question: string, done: string) => {
    if (!window.confirm(question)) return;
    await act(done, async () => {
      await ask({ method: 'DELETE', path, key: admin });
      await list(admin);
      return undefined;
    });
  };
  return (
    <>
      <h2>{text.keys}</h2>
      <NewKey admin={admin} isMade={() => list(admin)} />
      <ul class="entries" aria-label={text.keys}>
        {keys.map((key) => (
          <KeyRow
            key={key.id}
            of={key}
            end={() => void end(`${keysPath}/${key.id}`, text.endKeyAsk(key.label || key.prefix), text.ended)}
          />
        ))}
      </ul>
      {hasClients && (
        <>
          <h2>{text.clients}</h2>
          {grants.length === 0 && <p>{text.noClients}</p>}
          <ul class="entries" aria-label={text.clients}>
            {grants.map((grant) => (
              <GrantRow
                key={grant.id}
                of={grant}
                owner={keys.find(({ id }) => id === grant.keyId)}
                end={() =>
                  void end(
                    `${grantsPath}/${grant.id}`,
                    text.endGrantAsk(grant.clientName.slice(0, 200)),
                    text.endedGrant,
                  )
                }
              />
            ))}
          </ul>
        </>
      )}
    </>
  );
}

/** Makes a key, which is shown once. */
function NewKey({ admin, isMade }: { readonly admin: string; readonly isMade: () => Promise<void> }) {
  const text = words().service;
  const [made, setMade] = useState<string | undefined>();
  const make = (event: Event) => {
    const label = fieldOf(event, 'label');
    return act('', async () => {
      const body = { label, scopes: ['read', 'write'] };
      const request = { method: 'POST', path: keysPath, body, key: admin } as const;
      setMade((await ask<{ data: { apiKey: string } }>(request)).body.data.apiKey);
      await isMade();
      return undefined;
    });
  };
  return (
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
    </>
  );
}

function KeyRow({ of: key, end }: { readonly of: Key; readonly end: () => void }) {
  const text = words().service;
  const { label, prefix, scopes, expiresAt, lastUsedAt } = key;
  return (
    <li>
      <bdi>{label}</bdi> <code>{prefix}</code> <span class="hint">{scopes.join(', ')}</span>
      <span class="hint">
        {lastUsedAt === null ? text.never : text.lastUsed(moment(lastUsedAt))}
        {expiresAt !== null && `, ${text.endsAt(moment(expiresAt))}`}
      </span>
      <button type="button" aria-label={text.endOf(label || prefix)} onClick={end}>
        {text.end}
      </button>
    </li>
  );
}

interface GrantProps {
  readonly of: Grant;
  /** The key that it was given with, unless it is not listed any more. */
  readonly owner: Key | undefined;
  readonly end: () => void;
}

function GrantRow({ of: grant, owner, end }: GrantProps) {
  const text = words().service;
  const { clientName, clientId, scopes, createdAt, expiresAt } = grant;
  return (
    <li>
      <span class="text">
        <ForeignText text={clientName} /> {clientId !== clientName && <code>{clientId}</code>}{' '}
        <span class="hint">
          {scopes.join(', ')}, {text.since(moment(createdAt))}, {text.endsAt(moment(expiresAt))}
          {owner && (
            <>
              , {text.givenWith} <bdi>{owner.label || owner.prefix}</bdi>
            </>
          )}
        </span>
      </span>
      <button type="button" aria-label={text.endOf(clientName.slice(0, 200))} onClick={end}>
        {text.end}
      </button>
    </li>
  );
}
