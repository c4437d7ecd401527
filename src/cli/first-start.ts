import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { keyScopes } from '../domain/api-keys/api-key.ts';
import type { KeyService } from '../domain/api-keys/key-service.ts';
import { HOUR_MS } from '../domain/shared/time.ts';
import type { UserService } from '../domain/users/user-service.ts';
import { explorerLink, linkKey } from './open.ts';

interface FirstStartDeps {
  readonly users: UserService;
  readonly keys: KeyService;
  /** The key to adopt, or undefined to make one. */
  readonly apiKey: string | undefined;
  /** File for the new key. */
  readonly keyPath: string;
  /** Whether a person reads the output; otherwise it may be collected as a log. */
  readonly isTerminal: boolean;
  readonly print: (line: string) => void;
  /** Address of the service for a link to the explorer; undefined if it is not served. */
  readonly explorerUrl: string | undefined;
}

/**
 * Checks the folder first: a key must not be made that cannot be saved. @throws if the file cannot be written
 */
function makeRoom(keyPath: string): void {
  try {
    mkdirSync(dirname(keyPath), { recursive: true, mode: 0o700 });
    writeFileSync(keyPath, '', { mode: 0o600 });
    chmodSync(keyPath, 0o600);
  } catch (error) {
    throw new Error(
      `The first API key cannot be kept in ${resolve(keyPath)} (${(error as Error).message}). Make its folder writable, start memoryd in another one, or set MEMORYD_API_KEY to a key of your own.`,
      { cause: error },
    );
  }
}

/**
 * On an empty store: makes the user `default` and its key with every
 * scope, saved in `first-key`, mode 0600, and shown on a terminal.
 * @returns false if the store has users and does not contain the key to adopt
 */
export async function firstStart(deps: FirstStartDeps): Promise<boolean> {
  const { users, keys, apiKey, keyPath, isTerminal, print, explorerUrl } = deps;
  if ((await users.list()).length > 0) {
    return apiKey === undefined || (await keys.isKnown(apiKey));
  }
  if (apiKey !== undefined) {
    await keys.adopt(await users.ensure('default'), apiKey, { label: 'MEMORYD_API_KEY', scopes: keyScopes });
    return true;
  }
  makeRoom(keyPath);
  const user = await users.ensure('default');
  const created = await keys.create(user, { label: 'first key', scopes: keyScopes });
  writeFileSync(keyPath, `${created.apiKey}\n`);
  const path = resolve(keyPath);
  print(
    isTerminal
      ? `Made the user "default". Its API key, shown only now and kept in ${path}:\n\n  ${created.apiKey}\n\n\`memoryd init\` prints what to give to which client.\n`
      : `Made the user "default". Its API key is in ${path}`,
  );
  if (!isTerminal || explorerUrl === undefined) return true;
  const expiresAt = Date.now() + linkKey.hours * HOUR_MS;
  const link = await keys.create(user, { label: linkKey.label, expiresAt });
  print(
    `To see the memories in a browser (this link works once; \`memoryd open\` prints another):\n\n  ${explorerLink(explorerUrl, link.apiKey)}\n`,
  );
  return true;
}
