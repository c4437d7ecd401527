import { randomFrom } from '../../test/support/random.ts';
import { callUntilResponse, openConnection } from './connection.ts';
import { generateText } from './corpus.ts';
import type { Side } from './measure-create.ts';
import { processorMs } from './processes.ts';
import { median } from './quantiles.ts';
import { atMost, type Verdict } from './verdict.ts';

export interface GetOptions {
  readonly rounds: number;
  readonly getsPerRound: number;
  /** Name of `base` in the report. */
  readonly against: string;
  /** Maximum ratio of the time of one GET to that of `base`. */
  readonly time: number;
}

interface MeasuredSide extends Side {
  readonly pid: number;
}

const stored = 200;

/** Times GETs by id of a single client, on both sides by turns; each memory is read equally often. */
export async function measureGets(
  base: MeasuredSide,
  ours: MeasuredSide,
  { rounds, getsPerRound, against, time }: GetOptions,
): Promise<Verdict[]> {
  const sides: [MeasuredSide, MeasuredSide] = [base, ours];
  const ids = [await storeSome(base), await storeSome(ours)];
  const times: [number[], number[]] = [[], []];
  const processor: [number[], number[]] = [[], []];
  // Round 0 only warms up.
  for (let round = 0; round <= rounds; round += 1)
    for (const side of [0, 1] as const) {
      const before = processorMs(sides[side].pid);
      const taken = await getEach(sides[side], ids[side], getsPerRound);
      if (round === 0) continue;
      times[side].push(median(taken));
      processor[side].push((processorMs(sides[side].pid) - before) / getsPerRound);
    }
  const compare = (what: string, [of, by]: [number[], number[]]) =>
    atMost(time, { what, unit: 'ms', ours: median(by), against, base: median(of) });
  return [compare('GET by id, p50, one client', times), compare('GET by id, processor time', processor)];
}

async function storeSome(side: MeasuredSide): Promise<string[]> {
  const random = randomFrom(1);
  const connection = await openConnection(side.url, side.key);
  const ids: string[] = [];
  try {
    while (ids.length < stored) {
      const body = { content: generateText(random), conversationId: 'NEW' };
      const call = { method: 'POST' as const, path: side.path, body };
      ids.push((await callUntilResponse<{ data: { id: string } }>(connection, call, 201)).body.data.id);
    }
  } finally {
    connection.close();
  }
  return ids;
}

async function getEach(side: MeasuredSide, ids: readonly string[], count: number): Promise<number[]> {
  const connection = await openConnection(side.url, side.key);
  const times: number[] = [];
  try {
    for (let i = 0; i < count; i++) {
      const path = `${side.path}/${ids[i % ids.length]}`;
      times.push((await callUntilResponse(connection, { method: 'GET', path }, 200)).ms);
    }
  } finally {
    connection.close();
  }
  return times;
}
