import { APICallError, InvalidResponseDataError, NoObjectGeneratedError, NoOutputGeneratedError } from 'ai';
import { LlmError } from '../llm-error.ts';

/** Statuses that speak of the text sent: it would be refused again. */
const aboutText = [400, 413, 422];

interface Limit {
  readonly isLate: boolean;
  readonly timeoutMs: number;
}

/** Errors of the SDK carry requests and responses, which are texts of users: nothing of them is passed on. */
export function toLlmError(error: unknown, { isLate, timeoutMs }: Limit): LlmError {
  if (isLate) return new LlmError('late', `the LLM gave no answer within ${timeoutMs} ms`);
  if (error instanceof LlmError) return error;
  if (NoObjectGeneratedError.isInstance(error)) {
    const why = error.finishReason === 'length' ? 'longer than it may be' : 'not the JSON that was asked for';
    return new LlmError('invalid', `the answer of the LLM is ${why}`, error.usage?.totalTokens);
  }
  if (NoOutputGeneratedError.isInstance(error) || InvalidResponseDataError.isInstance(error))
    return new LlmError('invalid', 'the answer of the LLM is empty');
  if (!APICallError.isInstance(error)) return new LlmError('unavailable', 'the LLM cannot be asked');
  const { statusCode } = error;
  if (statusCode === undefined)
    return new LlmError('unavailable', `the LLM cannot be reached${codeOf(error)}`);
  if (statusCode < 300) return new LlmError('invalid', 'the server answers something else than a chat');
  const failure = aboutText.includes(statusCode) ? 'refused' : 'unavailable';
  return new LlmError(failure, `the server of the LLM answers ${statusCode}`);
}

function codeOf({ cause }: APICallError): string {
  const { code } = (cause ?? {}) as { code?: unknown };
  return typeof code === 'string' && /^[A-Z_]{3,40}$/.test(code) ? ` (${code})` : '';
}
