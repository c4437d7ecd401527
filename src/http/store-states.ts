import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorCode } from '../domain/shared/error-codes.ts';
import type { AppError } from '../domain/shared/errors.ts';
import { rootCodeOf } from '../lib/failure-log.ts';

/** States of the store in which requests fail alike, whatever they ask for. */
const codes: ReadonlySet<ErrorCode> = new Set(['STORAGE_FULL', 'STORAGE_UNAVAILABLE']);
const lineEveryMs = 60_000;
const reading: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

interface State {
  readonly code: ErrorCode;
  isOpen: boolean;
  /** Whether a line was logged since it opened. */
  isLogged: boolean;
  loggedAt: number;
  /** Refused requests that no line has counted yet. */
  unlogged: number;
}

/** An end that is to be logged, with the refused requests that no line has counted. */
export interface StateEnd {
  readonly code: ErrorCode;
  readonly times: number;
}

/**
 * Lines of a full disk, or of a store that is away: that it began, once a minute how often it refused, and that it
 * ended. A state that ends and begins again within the minute is counted and not logged.
 */
export class StoreStates {
  readonly #now: () => number;
  /** By code and cause. */
  readonly #states = new Map<string, State>();
  #open = 0;

  /** @param now milliseconds, of a clock that is never set back */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** @returns refused requests that a line is to count, this one included; 0 for no line; undefined for no such state */
  refused(error: AppError): number | undefined {
    const { code } = error;
    if (!codes.has(code)) return undefined;
    const state = this.#stateOf(code, rootCodeOf(error));
    if (!state.isOpen) this.#open++;
    state.isOpen = true;
    state.unlogged++;
    if (this.#now() - state.loggedAt < lineEveryMs) return 0;
    const times = state.unlogged;
    Object.assign(state, { isLogged: true, loggedAt: this.#now(), unlogged: 0 });
    return times;
  }

  /** Ends the states if the request wrote to the store. @returns those to be logged */
  ended({ method, routeOptions: { config } }: FastifyRequest, { statusCode }: FastifyReply): StateEnd[] {
    if (this.#open === 0 || statusCode >= 300) return [];
    if (reading.has(method) || config.public || config.scope === 'read') return [];
    this.#open = 0;
    const ends: StateEnd[] = [];
    for (const state of this.#states.values()) {
      state.isOpen = false;
      if (!state.isLogged) continue;
      ends.push({ code: state.code, times: state.unlogged });
      Object.assign(state, { isLogged: false, unlogged: 0 });
    }
    return ends;
  }

  #stateOf(code: ErrorCode, cause: string): State {
    const key = `${code} ${cause}`;
    const known = this.#states.get(key);
    if (known) return known;
    const state = { code, isOpen: false, isLogged: false, loggedAt: Number.NEGATIVE_INFINITY, unlogged: 0 };
    this.#states.set(key, state);
    return state;
  }
}
