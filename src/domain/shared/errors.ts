import { type ErrorCode, errorCodes } from './error-codes.ts';

interface AppErrorExtra {
  readonly details?: unknown;
  /** Seconds after which trying again may help. */
  readonly retryAfter?: number;
  readonly cause?: unknown;
}

/** A failure that is sent to a client: `message` is shown as `error`, so it never holds content, keys or ids. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: unknown;
  readonly retryAfter: number | undefined;

  constructor(code: ErrorCode, message: string, extra: AppErrorExtra = {}) {
    super(message, { cause: extra.cause });
    this.name = 'AppError';
    this.code = code;
    this.status = errorCodes[code].status;
    this.details = extra.details;
    this.retryAfter = extra.retryAfter;
  }
}

const storeReasons: { readonly [C in ErrorCode]?: string } = {
  STORAGE_FULL: 'the disk is full',
  STORAGE_UNAVAILABLE: 'the store is busy or cannot be reached',
};

/**
 * For `catch` of the transactions of a change that follow a committed one: the error of the store says that nothing was
 * stored, which is true of its own transaction only.
 * @param done the state of the change, as a sentence without its full stop
 */
export function inPart(done: string): (error: unknown) => never {
  return (error) => {
    const reason = error instanceof AppError ? storeReasons[error.code] : undefined;
    if (!(error instanceof AppError) || reason === undefined) throw error;
    throw new AppError(error.code, `${done}, since ${reason}.`, {
      retryAfter: error.retryAfter,
      cause: error,
    });
  };
}

/** 422: `field` as the client wrote it, `rule` completes the sentence "`field` …". */
export function invalidInput(field: string, rule: string): AppError {
  return new AppError('INPUT_INVALID', `${field} ${rule}`, { details: { field, rule } });
}

type CodeOf<Code> = Code extends `${infer Name}_NOT_FOUND` ? Lowercase<Name> : never;
/** A kind of record, as the code of its 404 names it. */
type Missing = CodeOf<ErrorCode>;

const missing: { readonly [M in Missing]?: string } = {
  graph_query: 'No such query of the graph.',
  narrative_memory: 'The narrative holds no such memory.',
  relationship: 'No such relationship of this memory.',
  topic_merge: 'No such merge of topics.',
};

/** 404, the same for an unknown id and for that of another user's record. */
export function notFound(kind: Missing): AppError {
  const code = `${kind.toUpperCase()}_NOT_FOUND` as ErrorCode;
  return new AppError(code, missing[kind] ?? `No such ${kind.replaceAll('_', ' ')}.`);
}

export const apiKeyShownBefore = (id: string) =>
  new AppError(
    'API_KEY_SHOWN_BEFORE',
    'An earlier request with this Idempotency-Key made a key, whose secret was shown then. Revoke it and make another.',
    { details: { id } },
  );

/** 401: the key that a request came with was right when it arrived, and its user was removed since. */
export const userGone = () => new AppError('AUTHENTICATION_REQUIRED', 'The user of this key was removed.');

export function isUserGone(error: unknown): boolean {
  return error instanceof AppError && error.code === 'AUTHENTICATION_REQUIRED';
}

/** 409: trying again at this service does not help. */
export const storeReadOnly = () =>
  new AppError(
    'STORAGE_READ_ONLY',
    'This service only reads (`memoryd serve --read-only`): send changes to the service that writes.',
  );

/** 409 for a name whose user is half removed. */
export const removalUnfinished = (name: string) =>
  new AppError(
    'USER_NAME_CONFLICT',
    `The removal of a user named ${name} did not finish: run \`memoryd users remove ${name} --yes\` again.`,
  );
