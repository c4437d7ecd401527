import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { KeyService } from '../domain/api-keys/key-service.ts';
import type { UserService } from '../domain/users/user-service.ts';

export interface FirstStartParts {
  readonly users: UserService;
  readonly keys: KeyService;
  /** The key to adopt, or undefined to make one. */
  readonly apiKey: string | undefined;
  /** Where to keep the key that is made. */
  readonly keyPath: string;
  readonly print: (line: string) => void;
}

/** On an empty store: makes the user `default` and its key, shown once and kept in `first-key`, mode 0600. */
export async function firstStart({ users, keys, apiKey, keyPath, print }: FirstStartParts): Promise<void> {
  if ((await users.list()).length > 0) return;
  const user = await users.ensure('default');
  if (apiKey !== undefined) {
    await keys.adopt(user, apiKey, { label: 'MEMORYD_API_KEY' });
    return;
  }
  const created = await keys.create(user, { label: 'first key' });
  mkdirSync(dirname(keyPath), { recursive: true });
  writeFileSync(keyPath, `${created.apiKey}\n`, { mode: 0o600 });
  chmodSync(keyPath, 0o600);
  print(
    `Made the user "default". Its API key, shown only now and kept in ${resolve(keyPath)}:\n\n  ${created.apiKey}\n`,
  );
}
