import { setMaxListeners } from 'node:events';
import { embedStepName, type SpacesToEmbed } from '../domain/embedding/embed-step.ts';
import { type Step, stepLabel } from '../domain/jobs/step.ts';
import type { WorkStore } from '../domain/jobs/work-store.ts';
import type { BackgroundTask, FailureReporter } from '../lib/failure-log.ts';
import { type ActiveRequests, Pace, rest } from '../lib/throttle.ts';
import { StepLane, type StepLaneDeps } from './step-lane.ts';
import { embedStep } from './steps.ts';

/** A failed job runs again after this time, or earlier if its interval is shorter. */
const retryMsMax = 60_000;
/** Interval of looking for new steps, which come and go with the vector spaces. */
const lookForStepsMs = 500;
const stepRetryMs = [2000, 20_000] as const;
/** Pause after a failure to recover the work that a stop left. */
const recoverRetryMs = 1000;

/** Work that a serving process repeats from its start on. */
export interface PeriodicJob {
  readonly name: BackgroundTask;
  /** Milliseconds from the end of a run to the next. */
  readonly everyMs: number;
  /** Least pause before the next run, as a multiple of the duration of the run; 0 by default. */
  readonly restsPerRun?: number;
  /** Resolves when this process may run it, or when `signal` aborts; absent if each process does. */
  readonly turn?: (signal: AbortSignal) => Promise<void>;
  /** One run; ends early when `signal` aborts. An error is logged and counted, and the run is tried again. */
  run(signal: AbortSignal): Promise<unknown>;
  /** Waits for the next run, at most `ms`; by default exactly `ms`. */
  next?(ms: number, signal: AbortSignal): Promise<void>;
}

/**
 * Pace of derivation and pace of index work. Searches wait for the latter, so it does not rest for
 * derivation.
 */
export interface Paces {
  readonly derived: Pace;
  /** Pace of vectors and of rebuilds for another analyzer. */
  readonly index: Pace;
}

/** Rest of derivation, as a multiple of its work, while requests are many or take the whole event loop. */
const derivedBusyRests = 8;

/** @param requests of a serving process; derivation yields to them, and nothing rests while there are none */
export function newPaces(requests?: ActiveRequests): Paces {
  return {
    derived: new Pace({ busyRests: derivedBusyRests, requests, givesWay: true }),
    index: new Pace({ requests }),
  };
}

/** Dependencies of a worker that does steps. */
export interface StepDeps {
  /** Steps for every memory, including those written before. */
  readonly steps: readonly Step[];
  /** Vector spaces to fill; each is a step of its own. */
  readonly spaces: SpacesToEmbed;
  readonly work: WorkStore;
  /** Milliseconds after the first and the second failure of a step; 2 and 20 s by default. */
  readonly retryMs?: readonly [number, number];
}

export interface JobWorkerDeps {
  readonly periodic: readonly PeriodicJob[];
  /** If absent, the worker does periodic jobs only. */
  readonly steps?: StepDeps;
  readonly failures: FailureReporter;
  readonly paces?: Paces;
}

/** Does all background work from `start` to `stop`; one per process. */
export class JobWorker {
  readonly #deps: JobWorkerDeps;
  readonly #paces: Paces;
  readonly #stopping = new AbortController();
  readonly #lanes = new Map<string, Promise<void>>();
  #running: readonly Promise<void>[] | undefined;

  constructor(deps: JobWorkerDeps) {
    this.#deps = deps;
    // Each job and step listens to it.
    setMaxListeners(0, this.#stopping.signal);
    this.#paces = deps.paces ?? newPaces();
  }

  start(): void {
    const { steps, periodic } = this.#deps;
    this.#running ??= periodic.map((job) => this.#repeat(job)).concat(steps ? this.#supervise(steps) : []);
  }

  /** Resolves when nothing runs any more; unfinished work is handed back. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running ?? []);
    await Promise.all(this.#lanes.values());
  }

  /** Keeps a lane for each step. */
  async #supervise(deps: StepDeps): Promise<void> {
    const { signal } = this.#stopping;
    const { work } = deps;
    await this.#untilDone(() => work.recover());
    while (!signal.aborted) {
      const seen = work.recorded;
      for (const step of currentSteps(deps)) if (!this.#lanes.has(stepLabel(step))) this.#open(step, deps);
      await work.nextWork(seen, lookForStepsMs, signal);
    }
  }

  #open(step: Step, deps: StepDeps): void {
    const { work, retryMs = stepRetryMs } = deps;
    const label = stepLabel(step);
    const { failures } = this.#deps;
    const joined = deps.steps.filter(({ isJoined, after }) => isJoined && after === step.name);
    const lane = new StepLane(step, { joined, work, retryMs, failures, ...this.#paceOf(step) });
    const isCurrent = () => currentSteps(deps).some((each) => stepLabel(each) === label);
    const ended = lane.run(this.#stopping.signal, isCurrent).finally(() => this.#lanes.delete(label));
    this.#lanes.set(label, ended);
  }

  #paceOf({ name }: Step): Pick<StepLaneDeps, 'pace' | 'restsFor'> {
    return name === embedStepName
      ? { pace: this.#paces.index, restsFor: 'worked' }
      : { pace: this.#paces.derived, restsFor: 'keptOff' };
  }

  async #repeat(job: PeriodicJob): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await job.turn?.(signal);
      if (signal.aborted) return;
      const began = performance.now();
      const isDone = await this.#run(job.name, () => job.run(signal));
      const restMs = (job.restsPerRun ?? 0) * (performance.now() - began);
      if (isDone && job.next) await job.next(job.everyMs, signal);
      else await rest(Math.max(isDone ? job.everyMs : Math.min(job.everyMs, retryMsMax), restMs), signal);
    }
  }

  async #untilDone(act: () => Promise<void>): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted && !(await this.#run('jobs', act))) await rest(recoverRetryMs, signal);
  }

  /** @returns whether it succeeded */
  async #run(name: BackgroundTask, act: () => Promise<unknown>): Promise<boolean> {
    try {
      await act();
      return true;
    } catch (error) {
      this.#deps.failures.failed(name, error);
      return false;
    }
  }
}

function currentSteps({ steps, spaces }: StepDeps): readonly Step[] {
  return [...steps, ...spaces.toEmbed().map((space) => embedStep(space) as Step)];
}
