import { randomFrom } from '../../test/support/random.ts';
import { callUntilResponse, openConnection } from './connection.ts';
import { generateText, type Words } from './corpus.ts';
import { processorMs } from './processes.ts';
import { median } from './quantiles.ts';
import { atLeast, atMost, type Verdict } from './verdict.ts';

export interface CreateOptions {
  rounds: number;
  /** Duration of the writes of 32 connections in each round. */
  writeMs: number;
  /** Creates of the single client in each round. */
  singleCreates: number;
  targets: CreateTargets;
  /** Words of the texts; invented words by default. */
  words?: Words;
}

interface CreateTargets {
  /** Name of `base` in the report. */
  against: string;
  /** Least share of the rate of `base`. */
  rate: number;
  /** Maximum ratio of the time of one create to that of `base`. */
  time: number;
}

/** A server that receives creates. */
export interface Side {
  url: string;
  path: string;
  key?: string;
  /** Adds to the body of a create. */
  further?: () => object;
  /** Process of the server, if its processor time is measured. */
  pid?: number;
}

interface Created {
  data: { conversationId: string };
}

const connectionsMax = 32;
const turnsPerConversation = 12;

/** Durable creates per second at 32 connections, and the time of one create of a single client. */
export async function measureCreates(base: Side, ours: Side, options: CreateOptions): Promise<Verdict[]> {
  const sides: [Side, Side] = [base, ours];
  const { against, rate: rateMin, time: timeMax } = options.targets;
  const rates: [number[], number[]] = [[], []];
  const times: [number[], number[]] = [[], []];
  const processor: [number[], number[]] = [[], []];
  // Round 0 only warms up.
  for (let round = 0; round <= options.rounds; round += 1)
    for (const side of [0, 1] as const) {
      const { pid } = sides[side];
      const before = pid === undefined ? 0 : processorMs(pid);
      const { created, rate } = await writeFor(sides[side], round, options);
      const perCreate = pid === undefined ? 0 : (processorMs(pid) - before) / created;
      const time = median(await writeOneByOne(sides[side], round, options));
      if (round > 0) {
        rates[side].push(rate);
        times[side].push(time);
        processor[side].push(perCreate);
      }
    }
  const measured = sides.every(({ pid }) => pid !== undefined);
  return [
    ...(measured
      ? [
          atMost(timeMax, {
            what: `processor time of a create, ${connectionsMax} connections`,
            unit: 'ms',
            ours: median(processor[1]),
            against,
            base: median(processor[0]),
          }),
        ]
      : []),
    atLeast(rateMin, {
      what: `creates at ${connectionsMax} connections`,
      unit: '/s',
      ours: median(rates[1]),
      against,
      base: median(rates[0]),
    }),
    atMost(timeMax, {
      what: 'create p50, one client',
      unit: 'ms',
      ours: median(times[1]),
      against,
      base: median(times[0]),
    }),
  ];
}

async function writeFor(
  side: Side,
  round: number,
  { writeMs, words }: CreateOptions,
): Promise<{ created: number; rate: number }> {
  const started = performance.now();
  const writers = Array.from({ length: connectionsMax }, (_, writer) =>
    write(side, round * 1000 + writer, () => performance.now() - started < writeMs, words),
  );
  const times = (await Promise.all(writers)).flat();
  const rate = (times.length / (performance.now() - started)) * 1000;
  return { created: times.length, rate };
}

async function writeOneByOne(
  side: Side,
  round: number,
  { singleCreates, words }: CreateOptions,
): Promise<number[]> {
  let left = singleCreates;
  return write(side, round * 1000 + 999, () => left-- > 0, words);
}

/** Writes as one agent does: a new conversation every 12 memories. Returns the time of each create. */
export async function write(
  side: Side,
  seed: number,
  goesOn: () => boolean,
  words?: Words,
): Promise<number[]> {
  const random = randomFrom(seed);
  const connection = await openConnection(side.url, side.key);
  const times: number[] = [];
  let conversationId = 'NEW';
  try {
    while (goesOn()) {
      if (times.length % turnsPerConversation === 0) conversationId = 'NEW';
      const body = {
        content: generateText(random, words),
        memoryType: 'episodic',
        role: 'user',
        conversationId,
        ...side.further?.(),
      };
      const call = { method: 'POST' as const, path: side.path, body };
      const response = await callUntilResponse<Created>(connection, call, 201);
      times.push(response.ms);
      conversationId = response.body.data.conversationId;
      if (!conversationId) throw new Error('a created memory names no conversation');
    }
  } finally {
    connection.close();
  }
  return times;
}
