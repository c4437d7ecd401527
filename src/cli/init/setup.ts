import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { sqlitePathOf } from '../../config/data-folder.ts';
import { clientVariables, loadClientSettings, loadConfig } from '../../config/load.ts';
import type { Config } from '../../config/settings.ts';
import { firstKeyPath } from '../first-key.ts';

/** The values in the text for a client. */
export interface Setup {
  /** Address of the service, without `/mcp`. */
  readonly url: string;
  readonly key: {
    /** For a line of a shell: an expansion, so that the line does not hold the key. */
    readonly inShell: string;
    /** For a file of settings: the key if it may be shown, else `<API_KEY>`. */
    readonly inFile: string;
    /** File of the key; undefined if none is known yet. */
    readonly source: string | undefined;
  };
  /** How a client starts `memoryd mcp`. */
  readonly stdio: {
    readonly command: string;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  };
}

export interface SetupOptions {
  readonly url?: string;
  readonly key?: string;
  /** Whether the key that was found may be printed. */
  readonly showsKey: boolean;
}

const placeholder = '<API_KEY>';
const portDefault = 3000;

/** The service, its key and its command as this process knows them. */
export function findSetup({ url, key, showsKey }: SetupOptions): Setup {
  const config = loadConfig();
  const settings = loadClientSettings();
  const found = findKey(config, { given: key, exported: settings.key });
  const remote = url ?? settings.url;
  const inFile = key ?? (showsKey ? found.value : undefined) ?? placeholder;
  return {
    url: (remote ?? `http://localhost:${config.port}`).replace(/\/+$/, ''),
    key: { inShell: found.inShell, inFile, source: found.source },
    stdio: {
      ...launcher(),
      env: remote === undefined ? localEnvironment(config, inFile) : remoteEnvironment(remote, inFile),
    },
  };
}

interface FoundKey {
  readonly value: string | undefined;
  readonly inShell: string;
  readonly source: string | undefined;
}

function findKey(config: Config, { given, exported }: { given?: string; exported?: string }): FoundKey {
  if (given !== undefined)
    return { value: given, inShell: given.replace(/[\\"$`]/g, '\\$&'), source: '--key' };
  const named = exported === undefined ? config.apiKey : exported;
  if (named !== undefined) {
    const variable = exported === undefined ? 'MEMORYD_API_KEY' : clientVariables.key;
    return { value: named, inShell: `$${variable}`, source: variable };
  }
  const path = resolve(firstKeyPath(config));
  const isThere = existsSync(path);
  return {
    value: isThere ? readFileSync(path, 'utf8').trim() : undefined,
    inShell: `$(cat '${path.replaceAll("'", `'\\''`)}')`,
    source: isThere ? path : undefined,
  };
}

/**
 * The program by its path, which works wherever a client
 * starts it; by its name if it runs from the cache of npx.
 */
function launcher(): Pick<Setup['stdio'], 'command' | 'args'> {
  const path = realpathSync(process.argv[1]);
  if (/[\\/]_npx[\\/]/.test(path)) return { command: 'npx', args: ['-y', 'memoryd', 'mcp'] };
  return { command: process.execPath, args: [path, 'mcp'] };
}

const remoteEnvironment = (url: string, key: string) => ({
  [clientVariables.url]: url,
  [clientVariables.key]: key,
});

/** Environment of `memoryd mcp` when it is started in another folder, without the settings of this one. */
function localEnvironment(config: Config, key: string): Record<string, string> {
  const sqlitePath = sqlitePathOf(config);
  // The URL of a server holds a password: with one, clients go through the service.
  if (sqlitePath === undefined) return remoteEnvironment(`http://localhost:${config.port}`, key);
  const folder = resolve(config.dataDir);
  const isInFolder = resolve(sqlitePath) === resolve(folder, 'memoryd.db');
  const store: Record<string, string> = isInFolder
    ? { MEMORYD_DATA_DIR: folder }
    : { MEMORYD_DATABASE_URL: `sqlite:${resolve(sqlitePath)}` };
  return { ...store, ...(config.port !== portDefault && { MEMORYD_PORT: String(config.port) }) };
}
