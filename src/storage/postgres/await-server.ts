import pg from 'pg';
import { rest } from '../../lib/throttle.ts';
import { isPassing } from './errors.ts';

const retryMs = 500;
const connectTimeoutMs = 5000;

/** Options of the wait for an unreachable server. */
export interface ServerWait {
  /** Name of the database for the operator, without its password. */
  readonly name: string;
  /** Maximum wait for a server that is unreachable, is starting, or has no free connection. */
  readonly waitMs: number;
  /** Called once, if the wait begins. */
  readonly say: (line: string) => void;
}

/** The server cannot be used; the message is a sentence for the operator. */
export class ServerAwayError extends Error {
  constructor(name: string, reason: string, cause: unknown) {
    super(`The database of ${name} ${reason}`, { cause });
    this.name = 'ServerAwayError';
  }
}

/** Resolves once the server accepts a connection. @throws ServerAwayError */
export async function awaitServer(url: string, { name, waitMs, say }: ServerWait): Promise<void> {
  const end = performance.now() + waitMs;
  for (let isFirst = true; ; isFirst = false) {
    const error = await tryConnection(url);
    if (error === undefined) return;
    if (!isPassing(error) || performance.now() >= end)
      throw new ServerAwayError(name, reasonOf(error, waitMs), error);
    if (isFirst) say(`Waiting up to ${waitMs / 1000} s for the database of ${name} (${codeOf(error)}).`);
    await rest(retryMs);
  }
}

/** @returns the error, or undefined if it connected */
async function tryConnection(url: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectTimeoutMs });
  // `connect` rejects with the failure; later errors are of a connection that is not used any more.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return undefined;
  } catch (error) {
    return error;
  } finally {
    // A connection that was never made cannot be ended.
    await client.end().catch(() => undefined);
  }
}

function codeOf(error: unknown): string {
  return (error as { code?: string }).code ?? (error as Error).message;
}

function reasonOf(error: unknown, waitMs: number): string {
  const code = codeOf(error);
  if (code === '3D000') return `does not exist on its server (${code}). Create it, or correct the URL.`;
  if (code.startsWith('28')) return `refuses the login (${code}). Correct the user or the password.`;
  if (!isPassing(error)) return `cannot be used: ${(error as Error).message}`;
  const time = waitMs > 0 ? ` within ${waitMs / 1000} s` : '';
  return `cannot be reached${time} (${code}). Start its server, or correct the URL.`;
}
