import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { sqlitePathOf } from '../../config/data-folder.ts';
import { clientVariables, loadClientSettings, loadConfig } from '../../config/load.ts';
import type { Config } from '../../config/settings.ts';
import { wholeNumber } from '../options.ts';
import { ApiClient, type ApiRequest, type ApiResponse, describe, type ServiceAccess } from './api-client.ts';

/** The service refused the request; the message is the service's own. */
export class RefusedError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(response: Pick<ApiResponse, 'status' | 'body'>) {
    super(describe(response));
    this.name = 'RefusedError';
    this.status = response.status;
    this.code = String(response.body.code ?? '');
  }
}

/**
 * A person is waiting: requests to a busy service are
 * repeated for this long, to an unreachable one not at all.
 */
const patienceMs = 10_000;

type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** A path with its query; undefined values are left out, lists repeat their parameter for each item. */
function pathWith(path: string, query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    const values = Array.isArray(value) ? (value as readonly string[]) : [value];
    for (const each of values) parameters.append(name, String(each));
  }
  const text = parameters.toString();
  return text === '' ? path : `${path}?${text}`;
}

/** A running service, for commands that people use. */
export class Service {
  readonly #client: ApiClient;

  /** @throws Error if there is no key */
  constructor(options: ServiceOptions) {
    this.#client = new ApiClient(findService(options));
  }

  /**
   * @throws RefusedError for any status but 2xx, RequestAbandonedError
   * if the service is unreachable or refuses the key
   */
  async ask(request: ApiRequest): Promise<ApiResponse> {
    const response = await this.#client.send({ patienceMs, unreachableRetryMs: 0, ...request });
    if (response.status >= 200 && response.status < 300) return response;
    throw new RefusedError(response);
  }

  /** The body of the response to a GET. */
  async get<T>(path: string, query: Query = {}): Promise<T> {
    return (await this.ask({ path: pathWith(path, query) })).body as T;
  }
}

/** Options of every command that asks a running service. */
export interface AskOptions extends ServiceOptions {
  readonly json?: true;
}

export interface PageOptions extends AskOptions {
  readonly limit: number;
  readonly offset: number;
}

/**
 * Adds `--url` and `--key`, by which `findService` finds the
 * service. @param urlDefault description of the default URL
 */
export function addServiceOptions(command: Command, urlDefault = 'MEMORYD_URL, else this machine'): Command {
  return command
    .option('--url <url>', `of the service (default: ${urlDefault})`, readUrl)
    .option(
      '--key <key>',
      'API key (default: MEMORYD_KEY, MEMORYD_API_KEY, else the first key of the store)',
    );
}

/** A command with `--url`, `--key` and `--json`. */
export function serviceCommand(name: string): Command {
  const command = addServiceOptions(new Command(name));
  return command.option('--json', 'print what the service answered, as one JSON document');
}

/** A command that also has `--limit` and `--offset`. */
export function pagedCommand(name: string, limitDefault: number): Command {
  return serviceCommand(name)
    .option('--limit <n>', 'how many are shown', wholeNumber(1), limitDefault)
    .option('--offset <n>', 'how many are left out before', wholeNumber(0), 0);
}

/** For options that may be given several times. */
export function collect(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), text];
}

interface ServiceOptions {
  readonly url?: string;
  readonly key?: string;
}

const everyAddress: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Address of the service on this machine, from its configuration. */
export function ownUrl({ host, port }: Pick<Config, 'host' | 'port'>): string {
  const address = everyAddress[host] ?? host;
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
}

/** @throws InvalidArgumentError, like other option parsers */
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

/** Path of the first key: next to the SQLite file; in the data folder for a store on PostgreSQL. */
export function firstKeyPath(config: Config): string {
  const sqlitePath = sqlitePathOf(config);
  return join(sqlitePath === undefined ? config.dataDir : dirname(sqlitePath), 'first-key');
}
