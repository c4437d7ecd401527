import { setTimeout as wait } from 'node:timers/promises';

export interface ApiAnswer {
  readonly status: number;
  /** Parsed JSON; empty where the answer was none. */
  readonly body: Readonly<Record<string, unknown>>;
  /** True when an earlier run had this answer already. */
  readonly replayed: boolean;
}

export interface ApiRequest {
  readonly path: string;
  /** Sent by POST; without it the request is a GET. */
  readonly body?: unknown;
  readonly idempotencyKey?: string;
  /** How long a server that is busy or away is waited for. */
  readonly patienceMs?: number;
}

/** The import cannot go on: the server is away, or does not accept the key. */
export class ImportStopped extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ImportStopped';
  }
}

const requestTimeoutMs = 90_000;
const patienceDefaultMs = 120_000;
const delayFirstMs = 250;
const delayMaxMs = 10_000;
const passing: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Speaks to one server with one key; tries again what may pass. */
export class ApiClient {
  private readonly url: string;
  private readonly key: string;
  private readonly signal: AbortSignal;

  /** @param signal ends waiting between tries; requests in flight are finished */
  constructor(url: string, key: string, signal: AbortSignal) {
    this.url = url.replace(/\/+$/, '');
    this.key = key;
    this.signal = signal;
  }

  /** @throws ImportStopped when patience is over, the key is not accepted, or the signal came */
  async send(request: ApiRequest): Promise<ApiAnswer> {
    const patienceMs = request.patienceMs ?? patienceDefaultMs;
    let waitedMs = 0;
    for (let attempt = 0; ; attempt++) {
      const { answer, failure } = await this.attempt(request);
      if (answer && !passing.has(answer.status)) {
        // What an earlier try of this run did without our hearing of it is no repetition.
        return attempt === 0 ? answer : { ...answer, replayed: false };
      }
      const delayMs = Math.max(retryAfterMs(answer), Math.min(delayFirstMs * 2 ** attempt, delayMaxMs));
      if (waitedMs + delayMs > patienceMs)
        throw new ImportStopped(`${this.url} is not available: ${failure ?? describe(answer)}`);
      await this.pause(delayMs);
      waitedMs += delayMs;
    }
  }

  private async attempt(request: ApiRequest): Promise<{ answer?: Answered; failure?: string }> {
    if (this.signal.aborted) throw new ImportStopped('interrupted');
    try {
      return { answer: await this.request(request) };
    } catch (error) {
      if (error instanceof ImportStopped) throw error;
      const { message, cause } = error as Error;
      return { failure: cause instanceof Error && cause.message !== '' ? cause.message : message };
    }
  }

  private async request({ path, body, idempotencyKey }: ApiRequest): Promise<Answered> {
    const response = await fetch(this.url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${this.key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(requestTimeoutMs),
    });
    const answer = {
      status: response.status,
      body: parseObject(await response.text()),
      replayed: response.headers.get('idempotency-replayed') === 'true',
      retryAfter: response.headers.get('retry-after'),
    };
    if (answer.status === 401 || answer.status === 403)
      throw new ImportStopped(`${this.url} does not accept the key: ${describe(answer)}`);
    return answer;
  }

  private async pause(ms: number): Promise<void> {
    // It rejects only where the import is interrupted, which the next attempt sees.
    await wait(ms, undefined, { signal: this.signal }).catch(() => undefined);
  }
}

interface Answered extends ApiAnswer {
  readonly retryAfter: string | null;
}

/** What the server says is wrong. */
export function describe(answer: ApiAnswer | undefined): string {
  const error = answer?.body.error;
  return typeof error === 'string' ? error : `it answered with status ${answer?.status}`;
}

function retryAfterMs(answer: Answered | undefined): number {
  const seconds = Number(answer?.body.retryAfter ?? answer?.retryAfter ?? 0);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 0;
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    // An answer that is no JSON: the caller goes by its status.
    return {};
  }
}
