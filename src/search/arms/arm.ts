import type { EmbeddingFailure } from '../../domain/embedding/embedder.ts';
import type { RowTest } from '../../search-index/columns/row-set.ts';
import type { IndexReader } from '../../search-index/ports.ts';
import type { IndexView } from '../../search-index/rows/index-view.ts';
import type { SearchPlan } from '../query/plan.ts';
import type { NamedTimes } from '../query/times/meant-dates.ts';
import type { LiveTerm } from '../query/words/live-terms.ts';
import type { Signal, SignalSpec } from './signal.ts';

/** Input of an arm in one search. */
export interface ArmContext {
  readonly plan: SearchPlan;
  readonly reader: IndexReader;
  readonly view: IndexView;
  /** Whether a row is visible, passes the filter and contains the quoted phrases. */
  readonly passes: RowTest;
  /** The query's terms that the user's memories contain; empty if the plan does not search by words. */
  readonly terms: readonly LiveTerm[];
  /** The requested times that texts name. */
  readonly named: NamedTimes;
  /** Waits for work elsewhere, at most `ms`; by default `Arm.waitMs`. @throws ArmFailure */
  readonly wait: <T>(work: Promise<T>, ms?: number) => Promise<T>;
  /** Reports a failure despite which the arm still has results. @throws an internal error as it is */
  readonly noteFailure: (name: string, error: unknown) => void;
}

/** One way to find or to rate memories. Stateless: one arm serves all searches of a process. */
export interface Arm {
  /** Name in `meta.branchFailures` if it fails. */
  readonly name: string;
  /** Its signals, with distinct names; `run` may omit signals without results. */
  readonly signals: readonly SignalSpec[];
  /** Maximum wait for a server or another thread; absent if the arm needs neither. */
  readonly waitMs?: number;
  /** Whether the plan requests it. */
  isAsked(plan: SearchPlan): boolean;
  /** @throws ArmFailure or EmbeddingError if it fails; the other arms still count */
  run(context: ArmContext): readonly Signal[] | Promise<readonly Signal[]>;
}

/** The arm has no results this time. */
export class ArmFailure extends Error {
  readonly reason: EmbeddingFailure;

  constructor(reason: EmbeddingFailure, message: string) {
    super(message);
    this.name = 'ArmFailure';
    this.reason = reason;
  }
}
