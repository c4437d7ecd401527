import type { ErrorCode } from '../domain/shared/error-codes.ts';
import type { AppError } from '../domain/shared/errors.ts';

/** Advice to an agent about a failure, if the message alone does not give it. */
const nextSteps: Partial<Record<ErrorCode, string>> = {
  MEMORY_NOT_FOUND: 'Find it with `search` or `recent`; it may have been forgotten.',
  CONVERSATION_NOT_FOUND: 'List them with `conversations`, or leave conversationId out.',
  TOPIC_NOT_FOUND: 'List them with `topics`.',
  MEMORY_NAME_CONFLICT: 'Choose another name, or `remember` under this one to add a version.',
  MEMORY_HEAD_CONFLICT: 'Read the newest version with `get` and decide again.',
  RELATIONSHIP_EXISTS: 'There is nothing to do.',
  RELATIONSHIP_CYCLE: 'Read both memories with `get`: the other one replaces this one already.',
  STORAGE_FULL: 'Nothing was written. Tell the user that the disk of the memory service is full.',
  STORAGE_UNAVAILABLE: 'Try again in some seconds.',
  OVERLOADED: 'Try again in some seconds.',
};

/** A failure of a tool, in words to act on. */
export function toToolError({ message, code, retryAfter }: AppError) {
  const ended = /[.!?]$/.test(message) ? message : `${message}.`;
  const wait = retryAfter === undefined ? undefined : `Try again in ${Math.ceil(retryAfter)} s.`;
  const advice = wait ?? nextSteps[code];
  const text = `${ended}${advice === undefined ? '' : ` ${advice}`} (${code})`;
  return { content: [{ type: 'text' as const, text }], isError: true };
}
