import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'dotenv';
import { nearest } from '../lib/names.ts';
import { currentPlace, defaultDataFolder } from './data-folder.ts';
import { neededWithOpenai } from './model-settings.ts';
import type { Setting } from './setting-kinds.ts';
import { type Config, type SettingName, settings, variableOf } from './settings.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Every fault of the configuration at once, each with the name of its variable. */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`The configuration is wrong:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

const names = Object.keys(settings) as SettingName[];
/** Variables of clients, which the service ignores. */
export const clientVariables = {
  url: 'MEMORYD_URL',
  key: 'MEMORYD_KEY',
  fromKey: 'MEMORYD_FROM_KEY',
} as const;
const ofClients: readonly string[] = Object.values(clientVariables);
/** Variables of our tests. */
const testPrefix = 'MEMORYD_TEST_';

function unknownVariables(environment: Environment): string[] {
  const known = names.map(variableOf);
  return Object.keys(environment)
    .filter((name) => name.startsWith('MEMORYD_') && !name.startsWith(testPrefix))
    .filter((name) => !known.includes(name) && !ofClients.includes(name))
    .map((name) => {
      const meant = nearest(name, known);
      return `${name} is not a setting; ${meant ? `did you mean ${meant}?` : '`memoryd config` lists them all'}`;
    });
}

/** Faults: settings that a configured server needs and that are missing. */
function lackingForServers(environment: Environment): string[] {
  return (['embedder', 'llm'] as const).flatMap((kind) => {
    if (environment[variableOf(kind)] !== 'openai') return [];
    const lacking = neededWithOpenai[kind].filter((name) => !environment[variableOf(name)]);
    return lacking.map((name) => `${variableOf(name)} is needed where ${variableOf(kind)} is openai`);
  });
}

/** @throws ConfigError with every wrong or unknown variable */
export function parseConfig(environment: Environment, place = currentPlace(environment)): Config {
  const faults = unknownVariables(environment);
  const values: Record<string, unknown> = {};
  for (const name of names) {
    const text = environment[variableOf(name)];
    try {
      values[name] = settings[name].read(
        text === undefined || text === '' ? settings[name].defaultText : text,
      );
    } catch (error) {
      faults.push(`${variableOf(name)} ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  faults.push(...lackingForServers(environment));
  if (values.llm === 'openai' && values.derive === false)
    faults.push(`${variableOf('llm')} must be none where ${variableOf('derive')} is false`);
  if (faults.length > 0) throw new ConfigError(faults);
  values.dataDir ||= defaultDataFolder(place);
  values.databaseUrl ||= `sqlite:${values.dataDir}/memoryd.db`;
  return Object.freeze(values) as Config;
}

/** The variables of `.env` in the working directory; empty if the file does not exist. */
function readEnvFile(): Environment {
  return existsSync('.env') ? parse(readFileSync('.env')) : {};
}

/** The process environment, completed from `.env` in the working directory; exported variables win. */
export function loadConfig(): Config {
  return parseConfig({ ...readEnvFile(), ...process.env });
}

/** Source of the value of a setting. */
type SettingSource = 'environment' | '.env' | 'default';

export interface SettingLine {
  readonly variable: string;
  readonly value: string;
  /** Markdown; empty if the setting has no default. */
  readonly defaultValue: string;
  readonly source: SettingSource;
  /** The valid values, as Markdown. */
  readonly kind: string;
  /** As Markdown. */
  readonly description: string;
}

/** The settings in force, secrets masked. */
export function describeConfig(config: Config): SettingLine[] {
  const file = readEnvFile();
  return names.map((name) => {
    const value = config[name];
    const text = value === undefined ? '' : String(value);
    const variable = variableOf(name);
    const { defaultText, defaultNote, kind, description }: Setting<unknown> = settings[name];
    const source = sourceOf(variable, file);
    const defaultValue = defaultText || (defaultNote ?? '');
    return { variable, value: maskSecret(name, text), defaultValue, source, kind, description };
  });
}

/** An empty value counts as none, wherever it is. */
function sourceOf(variable: string, file: Environment): SettingSource {
  const exported = process.env[variable];
  if (exported !== undefined) return exported === '' ? 'default' : 'environment';
  return file[variable] ? '.env' : 'default';
}

/** A URL without its password, be that in its authority or in a parameter. */
export function maskDatabaseUrl(url: string): string {
  // The last @ before the path ends the password; drivers also take one from the query.
  return url.replace(/\/\/([^:@/]*):[^/]*@/, '//$1:***@').replace(/([?&](?:ssl)?password=)[^&]*/gi, '$1***');
}

function maskSecret(name: SettingName, text: string): string {
  if (name === 'databaseUrl') return maskDatabaseUrl(text);
  if (!('secret' in settings[name]) || text === '') return text;
  return name === 'apiKey' ? `${text.split('.')[0]}.***` : '***';
}

/** Address and key of a running service, for commands that call one; exported variables win over `.env`. */
export function loadClientSettings() {
  const file = readEnvFile();
  const textOf = (name: string): string | undefined => process.env[name] || file[name] || undefined;
  const { url, key, fromKey } = clientVariables;
  return { url: textOf(url), key: textOf(key), fromKey: textOf(fromKey) };
}

/** The editor of the person at the terminal: words of a shell. */
export function editor(): string {
  return process.env.VISUAL || process.env.EDITOR || 'vi';
}
