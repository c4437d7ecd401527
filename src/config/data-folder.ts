import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { posix, win32 } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from './settings.ts';

export interface Place {
  readonly platform: NodeJS.Platform;
  /** Home folder of the user. */
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether the program runs from its repository, compiled or not; a package has no sources. */
  readonly isCheckout: boolean;
}

const checkoutFolder = './data';
const sourcePath = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** The place of this process. */
export function currentPlace(environment: Place['environment'] = process.env): Place {
  return { platform: process.platform, home: homedir(), environment, isCheckout: existsSync(sourcePath) };
}

/**
 * Folder of the store and the first key unless a setting names
 * one: `data` in a checkout, else the user's data folder.
 */
export function defaultDataFolder({ platform, home, environment, isCheckout }: Place): string {
  if (isCheckout) return checkoutFolder;
  if (platform === 'win32')
    return win32.join(environment.LOCALAPPDATA || win32.join(home, 'AppData', 'Local'), 'memoryd');
  if (platform === 'darwin') return posix.join(home, 'Library', 'Application Support', 'memoryd');
  const { XDG_DATA_HOME: given = '' } = environment;
  // The XDG specification: a relative path is invalid and must be ignored.
  return posix.join(posix.isAbsolute(given) ? given : posix.join(home, '.local', 'share'), 'memoryd');
}

const sqliteScheme = 'sqlite:';

/** Path of the SQLite file; undefined if the store is PostgreSQL. */
export function sqlitePathOf({ databaseUrl }: Pick<Config, 'databaseUrl'>): string | undefined {
  return databaseUrl.startsWith(sqliteScheme) ? databaseUrl.slice(sqliteScheme.length) : undefined;
}
