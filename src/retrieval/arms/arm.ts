import type { EmbeddingFailure } from '../../domain/embedding/embedder.ts';
import type { LiveTerm } from '../expand/live-terms.ts';
import type { Signal, SignalSpec } from '../fuse/signal.ts';
import type { IndexView } from '../index/index-view.ts';
import type { SearchPlan } from '../plan.ts';
import type { IndexReader } from '../ports.ts';
import type { RowTest } from '../row-test.ts';
import type { NamedTimes } from '../time/named-times.ts';

/** What an arm is given of one search. */
export interface ArmContext {
  readonly plan: SearchPlan;
  readonly reader: IndexReader;
  readonly view: IndexView;
  /** Whether a row is visible, passes the filter and has the phrases asked for. */
  readonly passes: RowTest;
  /** The query's terms as the user's memories have them; none where the plan does not ask for words. */
  readonly terms: readonly LiveTerm[];
  /** The times asked for that texts name. */
  readonly named: NamedTimes;
  /** Waits for what is worked out elsewhere, `ms` at most; by default `Arm.waitMs`. @throws ArmFailure */
  readonly wait: <T>(work: Promise<T>, ms?: number) => Promise<T>;
  /** Names what failed and without which the arm gives something all the same. @throws a fault of our own as it is */
  readonly noteFailure: (name: string, error: unknown) => void;
}

/** One way to find or to rate memories. It has no state of a search: one serves all searches of a process. */
export interface Arm {
  /** In `meta.branchFailures`, when it fails. */
  readonly name: string;
  /** What it gives, a name each; `run` may leave out those that have nothing to say. */
  readonly signals: readonly SignalSpec[];
  /** The longest it waits for what is worked out elsewhere, by a server or another thread; absent: it asks for nothing there. */
  readonly waitMs?: number;
  /** Whether the plan asks for it. */
  isAsked(plan: SearchPlan): boolean;
  /** @throws ArmFailure or EmbeddingError where it gives nothing and the other arms answer */
  run(context: ArmContext): readonly Signal[] | Promise<readonly Signal[]>;
}

/** An arm gives nothing this time. */
export class ArmFailure extends Error {
  readonly reason: EmbeddingFailure;

  constructor(reason: EmbeddingFailure, message: string) {
    super(message);
    this.name = 'ArmFailure';
    this.reason = reason;
  }
}
