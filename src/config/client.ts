import { readEnvFile } from './env-file.ts';

/** A running service, for commands that speak to one. */
interface ClientSettings {
  readonly url: string | undefined;
  readonly key: string | undefined;
}

/** Variables of clients: not settings of the service, which passes over them. */
export const clientVariables = { url: 'MEMORYD_URL', key: 'MEMORYD_KEY' } as const;

/** Value of a variable: the exported one, else that of `.env`. */
export function loadClientSettings(): ClientSettings {
  const file = readEnvFile();
  const textOf = (name: string): string | undefined => process.env[name] || file[name] || undefined;
  return { url: textOf(clientVariables.url), key: textOf(clientVariables.key) };
}

/** The editor of the person at the terminal: words of a shell. */
export function editor(): string {
  return process.env.VISUAL || process.env.EDITOR || 'vi';
}
