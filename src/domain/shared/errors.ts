import { type ErrorCode, errorCodes } from './error-codes.ts';

export interface AppErrorExtra {
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

/** 422: `field` as the client wrote it, `rule` completes the sentence "`field` …". */
export function invalidInput(field: string, rule: string): AppError {
  return new AppError('INPUT_INVALID', `${field} ${rule}`, { details: { field, rule } });
}

export const memoryNotFound = () => new AppError('MEMORY_NOT_FOUND', 'No such memory.');
export const conversationNotFound = () => new AppError('CONVERSATION_NOT_FOUND', 'No such conversation.');
export const trashEntryNotFound = () => new AppError('TRASH_ENTRY_NOT_FOUND', 'No such trash entry.');
export const topicNotFound = () => new AppError('TOPIC_NOT_FOUND', 'No such topic.');
export const communityNotFound = () => new AppError('COMMUNITY_NOT_FOUND', 'No such community.');
export const patternNotFound = () => new AppError('PATTERN_NOT_FOUND', 'No such pattern.');
export const graphQueryNotFound = () => new AppError('GRAPH_QUERY_NOT_FOUND', 'No such query of the graph.');
export const factNotFound = () => new AppError('FACT_NOT_FOUND', 'No such fact.');
export const entityNotFound = () => new AppError('ENTITY_NOT_FOUND', 'No such entity.');
export const artifactNotFound = () => new AppError('ARTIFACT_NOT_FOUND', 'No such artifact.');
export const narrativeNotFound = () => new AppError('NARRATIVE_NOT_FOUND', 'No such narrative.');
export const narrativeMemoryNotFound = () =>
  new AppError('NARRATIVE_MEMORY_NOT_FOUND', 'The narrative holds no such memory.');
export const topicMergeNotFound = () => new AppError('TOPIC_MERGE_NOT_FOUND', 'No such merge of topics.');

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

/** 409 for a name whose user is half removed. */
export const removalUnfinished = (name: string) =>
  new AppError(
    'USER_NAME_CONFLICT',
    `The removal of a user named ${name} did not finish: run \`memoryd users remove ${name} --yes\` again.`,
  );

/** Makes forgetting a case of a closed set a compile error. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${String(value)}`);
}
