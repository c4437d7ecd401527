import pg from 'pg';
import { AppError } from '../../domain/shared/errors.ts';

const retryAfterSeconds = 5;
const fullCodes = new Set(['53100']);
/** Connection failures, shutdown and start-up, too many connections, lost races between transactions, timeouts. */
const unavailable = /^(08|57P|53300|53400|40001|40P01|55P03|57014)/;

/** What a client can be told of a PostgreSQL failure; anything else stays as it is and is a fault of ours. */
export function toStorageError(error: unknown): unknown {
  const extra = { retryAfter: retryAfterSeconds, cause: error };
  const gone = () => new AppError('STORAGE_UNAVAILABLE', 'The database cannot be reached or is busy.', extra);
  if (error instanceof pg.DatabaseError) {
    const code = error.code ?? '';
    if (fullCodes.has(code)) return new AppError('STORAGE_FULL', 'The disk of the database is full.', extra);
    return unavailable.test(code) ? gone() : error;
  }
  if (error instanceof Error && isConnectionFailure(error)) return gone();
  return error;
}

function isConnectionFailure(error: Error): boolean {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== undefined && /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EHOST|ENET|EAI_)/.test(code)) return true;
  return /timeout exceeded when trying to connect|Connection terminated|connection error/i.test(
    error.message,
  );
}
