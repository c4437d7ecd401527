import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorCode } from '../domain/shared/error-codes.ts';
import type { AppError } from '../domain/shared/errors.ts';
import { rootCodeOf } from '../lib/failure-log.ts';

/** States of the store in which all requests fail for the same reason. */
const codes: ReadonlySet<ErrorCode> = new Set(['STORAGE_FULL', 'STORAGE_UNAVAILABLE']);
const lineEveryMs = 60_000;
const reading: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

interface State {
  readonly code: ErrorCode;
  isOpen: boolean;
  /** Whether a line was logged since the state began. */
  isLogged: boolean;
  loggedAt: number;
  /** Refused requests that are in no log line yet. */
  unlogged: number;
}

/** The end of a state, for the log, with the refused requests that are in no log line yet. */
export interface StateEnd {
  readonly code: ErrorCode;
  readonly times: number;
}

/**
 * Decides the log lines about a full disk or an unreachable store: its beginning, once a minute the number
 * of refusals, and its end. A state that ends and begins again within the minute is counted, not logged.
 */
export class StoreStates {
  readonly #now: () => number;
  /** By code and cause. */
  readonly #states = new Map<string, State>();
  #open = 0;

  /** @param now a monotonic clock in ms */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * @returns number of refused requests for a log line, this one
   * included; 0 for no line; undefined if the error is no such state
   */
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
