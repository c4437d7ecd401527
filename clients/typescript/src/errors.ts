/** Any failure of a call. The message is the sentence of the service, which names the field and the rule. */
export class MemorydError extends Error {
  /** Absent where no answer came. */
  readonly status: number | undefined;
  /** For programs; it stays: see docs/errors.md. */
  readonly code: string | undefined;
  /** Of a 422 its `field` and `rule`. */
  readonly details: unknown;
  /** Seconds after which trying again may help. */
  readonly retryAfter: number | undefined;
  /** Finds the request in the log of the service. */
  readonly requestId: string | undefined;

  constructor(message: string, said: Partial<Omit<MemorydError, 'name' | 'message'>> = {}) {
    super(message, { cause: said.cause });
    this.name = 'MemorydError';
    this.status = said.status;
    this.code = said.code;
    this.details = said.details;
    this.retryAfter = said.retryAfter;
    this.requestId = said.requestId;
  }

  get isNotFound(): boolean {
    return this.status === 404;
  }
}

/** @param text the body of the response: JSON of the service, or the page of a proxy */
export function errorOf(response: Response, text: string): MemorydError {
  const { status, statusText } = response;
  const { error, ...said } = jsonOf(text) as { error?: string } & Partial<MemorydError>;
  return new MemorydError(error ?? `${status} ${statusText}`, { ...said, status });
}

function jsonOf(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    // The page of a proxy says nothing for programs.
    return {};
  }
}
