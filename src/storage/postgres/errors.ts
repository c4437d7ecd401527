import pg from 'pg';
import { AppError } from '../../domain/shared/errors.ts';

const retryAfterSeconds = 5;
const fullCodes = new Set(['53100']);
/**
 * Failed connections, shutdown and start-up, a transaction ended because it was idle, too many connections,
 * lost races between transactions, timeouts; a server that is a replica; and a login or database that an operator removed.
 */
const unavailable = /^(08|57P|25P03|25006|53300|53400|40001|40P01|55P03|57014|28|3D000)/;
const networkCodes = /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EHOST|ENET|EAI_)/;
const connectionMessages =
  /timeout exceeded when trying to connect|connection terminated|connection error|client was closed|connection timeout|timeout expired|query read timeout/i;

/**
 * The failure of PostgreSQL as clients may see it; other errors are faults of memoryd and returned unchanged.
 */
export function toStorageError(error: unknown): unknown {
  const extra = { retryAfter: retryAfterSeconds, cause: error };
  const gone = () => new AppError('STORAGE_UNAVAILABLE', 'The database cannot be reached or is busy.', extra);
  if (error instanceof pg.DatabaseError) {
    const code = error.code ?? '';
    if (fullCodes.has(code)) return new AppError('STORAGE_FULL', 'The disk of the database is full.', extra);
    return unavailable.test(code) || isStaleName(error) ? gone() : error;
  }
  return isNetworkFailure(error) ? gone() : error;
}

/**
 * A named statement that the session does not have, has already, or whose columns a migration of another process
 * changed: behind a pooler that does not know of names, or once for each connection after such a migration.
 */
function isStaleName({ code, message }: pg.DatabaseError): boolean {
  return (
    code === '26000' || code === '42P05' || (code === '0A000' && message.startsWith('cached plan must not'))
  );
}

/** Whether this failure makes the connection unusable. */
export function isBroken(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return isNetworkFailure(error);
  // After a failover, the same address may lead to the server that writes.
  return error.severity === 'FATAL' || error.code === '25006' || isStaleName(error);
}

/** Whether the failure is temporary: the server is unreachable, is starting or stopping, or is full. */
export function isPassing(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return /^(57P|53300|08)/.test(error.code ?? '');
  return isNetworkFailure(error);
}

function isNetworkFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  return (code !== undefined && networkCodes.test(code)) || connectionMessages.test(error.message);
}
