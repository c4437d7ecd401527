import { computed, signal } from '@preact/signals';
import { ApiFailure, ask } from './client.ts';

/** A key of this tab. */
export interface Session {
  readonly key: string;
  readonly scopes: readonly string[];
}

/** The tab keeps its key over reloads, and no longer. */
const place = 'memoryd.session';
const lastsHours = 12;

export const session = signal<Session | undefined>(undefined);
/** Why there is no session; undefined before the first. */
export const signInNote = signal<string | undefined>(undefined);
/** Whether the address names an earlier time: nothing can be changed there. */
export const isLookingBack = signal(false);
export const mayWrite = computed(
  () => !isLookingBack.value && (session.value?.scopes.includes('write') ?? false),
);

function keep(next: Session | undefined): void {
  session.value = next;
  if (next === undefined) sessionStorage.removeItem(place);
  else sessionStorage.setItem(place, JSON.stringify(next));
}

/** Forgets the key, which works no more. The address stays. */
export function signedOut(note: string): void {
  keep(undefined);
  signInNote.value = note;
}

/** Takes the key of a link, which is gone from the address before anything is sent; else that of the tab. */
export async function beginSession(): Promise<void> {
  const linkKey = /^#key=([\w.-]+)$/.exec(location.hash)?.[1];
  if (linkKey === undefined) {
    const kept = sessionStorage.getItem(place);
    if (kept !== null) session.value = JSON.parse(kept) as Session;
    return;
  }
  history.replaceState(history.state, '', location.pathname + location.search);
  await signIn(linkKey, { isOfLink: true });
}

/**
 * A key that may make keys is exchanged for one of this tab, with less rights and an end; another one is kept as it
 * is. The key of a link ends itself, so what a browser remembers of the link is dead.
 */
export async function signIn(key: string, { isOfLink = false } = {}): Promise<void> {
  try {
    const { body } = await ask<{ data: KeyOfRequest }>({ path: '/api/apikeys/debug-user', key });
    const { scopes, expiresAt } = body.data;
    if (!scopes.includes('admin')) {
      keep({ key, scopes });
      return;
    }
    const own = scopes.filter((scope) => scope === 'read' || scope === 'write');
    keep({ key: await ownKey(key, own, expiresAt), scopes: own });
    // Links have keys that end. A lasting key that somebody put into an address is theirs.
    if (isOfLink && expiresAt !== null) await ask({ method: 'DELETE', path: '/api/apikeys/current', key });
    signInNote.value = undefined;
  } catch (error) {
    signedOut(
      error instanceof ApiFailure ? error.message : `The service cannot be reached: ${String(error)}`,
    );
  }
}

async function ownKey(key: string, scopes: readonly string[], endsAt: string | null): Promise<string> {
  const label = `explorer, ${browserName()}`;
  // A key cannot outlive the one that makes it: without a time of its own it ends with that.
  const isLong = endsAt === null || Date.parse(endsAt) - Date.now() > lastsHours * 3_600_000;
  const { body } = await ask<{ data: { apiKey: string } }>({
    method: 'POST',
    path: '/api/apikeys',
    body: { label, scopes, ...(isLong && { expiresAt: `${lastsHours}h` }) },
    key,
  });
  return body.data.apiKey;
}

interface KeyOfRequest {
  readonly scopes: readonly string[];
  readonly expiresAt: string | null;
}

function browserName(): string {
  const name = /(Firefox|Edg|Chrome|Safari)\//.exec(navigator.userAgent)?.[1] ?? 'browser';
  return name === 'Edg' ? 'Edge' : name;
}

/** Ends the key at the service, too. */
export async function signOut(): Promise<void> {
  await ask({ method: 'DELETE', path: '/api/apikeys/current' }).catch((error: unknown) => {
    // A key that does not work any more needs no end.
    if (!(error instanceof ApiFailure && error.status === 401)) throw error;
  });
  signedOut('You signed out.');
}
