import { existsSync, readFileSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import { clientVariables, loadClientSettings, loadConfig } from '../../config/load.ts';
import type { Config } from '../../config/settings.ts';
import { firstKeyPath } from '../first-key.ts';
import type { ServiceAccess } from './send-request.ts';

export interface ServiceOptions {
  readonly url?: string;
  readonly key?: string;
}

const everyAddress: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Address of the service of this machine, by its configuration. */
export function ownUrl({ host, port }: Pick<Config, 'host' | 'port'>): string {
  const address = everyAddress[host] ?? host;
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
}

/** @throws InvalidArgumentError, as parsers of options do */
export function readUrl(text: string): string {
  if (URL.canParse(text) && /^https?:/.test(text)) return text.replace(/\/+$/, '');
  throw new InvalidArgumentError('It must begin with http:// or https://.');
}

/**
 * The service of `--url`, else of MEMORYD_URL, else of this machine; with the key
 * of `--key`, else of MEMORYD_KEY, else of MEMORYD_API_KEY, else the first key of
 * the store of this machine, which is sent to a service of this machine only.
 * @throws Error if a setting is wrong or there is no key
 */
export function findService(given: ServiceOptions): ServiceAccess {
  const settings = loadClientSettings();
  const url = findUrl(given.url);
  const key = given.key ?? settings.key;
  const keySource = given.key === undefined ? clientVariables.key : '--key';
  if (url !== undefined && key !== undefined) return { url, key, keySource };
  const config = loadConfig();
  const target = url ?? ownUrl(config);
  if (key !== undefined) return { url: target, key, keySource };
  return { url: target, ...findOwnKey(config, target) };
}

/** The URL of `--url`, else of MEMORYD_URL. @throws Error if it is not a URL */
export function findUrl(given: string | undefined): string | undefined {
  const text = given ?? loadClientSettings().url;
  try {
    return text === undefined ? undefined : readUrl(text);
  } catch (error) {
    throw new Error(`${clientVariables.url}: ${(error as Error).message}`);
  }
}

function findOwnKey(config: Config, url: string): Pick<ServiceAccess, 'key' | 'keySource'> {
  if (config.apiKey !== undefined) return { key: config.apiKey, keySource: 'MEMORYD_API_KEY' };
  const path = firstKeyPath(config);
  const ways = `give --key or ${clientVariables.key}`;
  if (!isOfThisMachine(url, config))
    throw new Error(`No API key for ${url}: ${ways} (the first key in ${path} is for this machine).`);
  if (!existsSync(path)) throw new Error(`No API key: ${ways} (there is no ${path}).`);
  return { key: readFileSync(path, 'utf8').trim(), keySource: path };
}

function isOfThisMachine(url: string, config: Config): boolean {
  const { hostname } = new URL(url);
  return (
    /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname) || hostname === new URL(ownUrl(config)).hostname
  );
}
