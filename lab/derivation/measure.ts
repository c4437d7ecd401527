import { setTimeout as delay } from 'node:timers/promises';
import { openConnection } from '../../bench/http/connection.ts';
import { processorMs } from '../../bench/http/processes.ts';
import { median, quantile } from '../../bench/http/quantiles.ts';
import type { Engine } from '../../test/support/server.ts';
import { createAll, createOne, doneOf, type Subject, startSubject, waitForDone } from './service.ts';
import { textOf } from './texts.ts';

const connections = 32;
const steps = ['derive', 'relate'] as const;

export interface CreateRates {
  /** Creates per second, median over rounds. */
  readonly with: number;
  readonly without: number;
  /** Processor time of the service per memory, including derivation. */
  readonly processorMsWith: number;
  readonly processorMsWithout: number;
}

/** Measures creates with and without derivation, by turns; each turn waits until all memories are derived. */
export async function measureCreateRates(
  engine: Engine,
  texts: readonly string[],
  options: { readonly rounds: number; readonly perRound: number },
): Promise<CreateRates> {
  const { rounds, perRound } = options;
  const sides = [await startSubject(engine, false), await startSubject(engine, true)];
  const rates: [number[], number[]] = [[], []];
  const processor: [number[], number[]] = [[], []];
  try {
    // Round 0 only warms up.
    for (let round = 0; round <= rounds; round++)
      for (const side of [0, 1] as const) {
        const { server } = sides[side];
        const contents = Array.from({ length: perRound }, (_, i) => textOf(texts, round * perRound + i));
        const before = processorMs(server.pid);
        const began = performance.now();
        await createAll(server, contents, connections);
        const rate = (perRound * 1000) / (performance.now() - began);
        if (side === 1) for (const step of steps) await waitForDone(server, step, (round + 1) * perRound);
        if (round === 0) continue;
        rates[side].push(rate);
        processor[side].push((processorMs(server.pid) - before) / perRound);
      }
  } finally {
    for (const side of sides) await side.stop();
  }
  return {
    with: median(rates[1]),
    without: median(rates[0]),
    processorMsWith: median(processor[1]),
    processorMsWithout: median(processor[0]),
  };
}

export interface BackfillRate {
  /** Rate from the first derived memory to the last. */
  readonly derivedPerSecond: number;
  /** Rate until relationships are found as well. */
  readonly allPerSecond: number;
  /** Processor time of the service per memory, all threads. */
  readonly processorMs: number;
}

/**
 * Memories derived per second by an otherwise idle service: a
 * store created without derivation is restarted with it.
 */
export async function measureBackfill(
  engine: Engine,
  texts: readonly string[],
  memories: number,
): Promise<BackfillRate> {
  const subject = await startSubject(engine, false);
  try {
    const contents = Array.from({ length: memories }, (_, i) => textOf(texts, i));
    await createAll(subject.server, contents, connections);
    await subject.derive();
    const { server } = subject;
    const processorBefore = processorMs(server.pid);
    await waitForDone(server, 'derive', 1);
    const [began, first] = [performance.now(), await doneOf(server, 'derive')];
    await waitForDone(server, 'derive', memories);
    const derived = performance.now() - began;
    await waitForDone(server, 'relate', memories);
    const all = performance.now() - began;
    if (first >= memories)
      throw new Error('hollow: all was derived before it was measured; take more memories');
    return {
      derivedPerSecond: ((memories - first) * 1000) / derived,
      allPerSecond: ((memories - first) * 1000) / all,
      processorMs: (processorMs(server.pid) - processorBefore) / memories,
    };
  } finally {
    await subject.stop();
  }
}

export interface Lag {
  /** Creates per second, as reached. */
  readonly rate: number;
  /** Median milliseconds from the 201 until the memory is derived. */
  readonly p50: number;
  readonly p95: number;
}

/**
 * Lag of derivation at a steady rate of creates. Derivation runs in the
 * order of creates, so a count tells which memories are done.
 */
export async function measureLag(
  engine: Engine,
  texts: readonly string[],
  options: { readonly perSecond: number; readonly seconds: number },
): Promise<Lag> {
  const subject: Subject = await startSubject(engine, true);
  const { perSecond, seconds } = options;
  const count = perSecond * seconds;
  try {
    const { server } = subject;
    // The thread and its models are loaded with the first memory.
    const warm = await openConnection(server.url, server.key);
    await createOne(warm, 'The first memory.');
    await waitForDone(server, 'derive', 1);
    warm.close();
    const created: number[] = [];
    const derived: number[] = [];
    const watching = watch(server, derived, count);
    const began = performance.now();
    const pool = await Promise.all(
      Array.from({ length: connections }, () => openConnection(server.url, server.key)),
    );
    await Promise.all(
      pool.map(async (connection, lane) => {
        for (let i = lane; i < count; i += connections) {
          const due = began + (i * 1000) / perSecond;
          await delay(Math.max(0, due - performance.now()));
          await createOne(connection, textOf(texts, i));
          created.push(performance.now());
        }
        connection.close();
      }),
    );
    const rate = (count * 1000) / (performance.now() - began);
    await watching;
    const lags = created.toSorted((a, b) => a - b).map((at, i) => Math.max(0, derived[i] - at));
    return { rate, p50: quantile(lags, 0.5), p95: quantile(lags, 0.95) };
  } finally {
    await subject.stop();
  }
}

/** Records the time at which each memory is derived, polled every 100 ms. */
async function watch(server: Subject['server'], derived: number[], count: number): Promise<void> {
  while (derived.length < count) {
    const done = (await doneOf(server, 'derive')) - 1;
    const now = performance.now();
    while (derived.length < Math.min(done, count)) derived.push(now);
    await delay(100);
  }
}
