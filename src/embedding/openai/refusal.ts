import { parseJson } from '../../lib/json-depth.ts';
import { RequestError } from './request-error.ts';

const tooMany = 429;
/** Statuses that speak of the texts sent: they would be refused again. */
const aboutTexts = [400, 413, 422];
const passing = [408, 425, tooMany];
/** What providers call a failure, such as `invalid_api_key`; their sentences may quote keys and texts. */
const codeForm = /^[a-z][a-z_]{2,60}$/;

/** The error of an answer that is not 2xx. */
export function refusalOf(status: number, headers: Headers, body: string, now: number): RequestError {
  const code = codeOf(body);
  return new RequestError(`the server answers ${status}${code ? ` (${code})` : ''}`, {
    isLasting: aboutTexts.includes(status),
    isRepeatable: passing.includes(status) || status >= 500,
    isServerFault: status !== tooMany && !aboutTexts.includes(status),
    retryAfterMs: retryAfterOf(headers.get('retry-after'), now),
  });
}

/** Milliseconds: `Retry-After` holds seconds or a date. */
function retryAfterOf(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d+(\.\d+)?$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

function codeOf(body: string): string | undefined {
  try {
    const { error } = parseJson(body) as { error?: { code?: unknown; type?: unknown } | null };
    return [error?.code, error?.type].find(
      (code): code is string => typeof code === 'string' && codeForm.test(code),
    );
  } catch {
    // No JSON: the status alone says what it can.
    return undefined;
  }
}
