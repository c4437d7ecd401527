import { type Connection, callUntilResponse, openConnection } from './connection.ts';
import type { Corpus } from './corpus.ts';
import { processorMs } from './processes.ts';
import { median, quantile } from './quantiles.ts';

/** One way to search: server, key and further parameters. */
export interface Way {
  name: string;
  url: string;
  path: string;
  key?: string;
  parameters?: object;
  /** Body of the request if it is not a search; `countIn` then counts the results of the response. */
  toBody?: (query: string) => object;
  countIn?: (body: unknown) => number;
  /** Process of the server, if its processor time is measured. */
  pid?: number;
}

/** Medians over rounds of each round's p50 and p95, in milliseconds. */
export interface SearchTimes {
  p50: number;
  p95: number;
  /** Time of the very first search, with a cold index. */
  firstMs: number;
  /** Mean number of results; 0 is an error, because it proves nothing. */
  results: number;
  /** Median over turns of the processor time of one search, in milliseconds; only if the way has a `pid`. */
  processorMs?: number;
}

const turnLength = 10;

export interface SearchPlan {
  rounds: number;
  queriesPerRound: number;
  /** Queries asked before the first round that counts. */
  warmUp: number;
  /** At least `warmUp + rounds * queriesPerRound`, all different, so that no cached response is used. */
  queries: readonly string[];
}

/**
 * Number of queries for a user with this many memories. Short searches have a longer warm-up, because
 * the first four thousand run code that is not compiled yet, of which the floor has little.
 */
export function searchPlan(
  corpus: Pick<Corpus, 'queries'>,
  size: number,
  { quick, rounds }: { quick: boolean; rounds: number },
): SearchPlan {
  const queriesPerRound = quick || size >= 100_000 ? 100 : 300;
  const warmUp = quick || size >= 100_000 ? queriesPerRound : 4000;
  const queries = corpus.queries(warmUp + rounds * queriesPerRound, 42);
  return { rounds, queriesPerRound, warmUp, queries };
}

/**
 * Asks the same queries in each way by turns of ten, in an order that changes
 * with each turn, so that other load of the machine affects all ways equally.
 */
export async function measureSearches(
  ways: readonly Way[],
  { rounds, queriesPerRound, warmUp, queries }: SearchPlan,
): Promise<Record<string, SearchTimes>> {
  const asked = await Promise.all(
    ways.map(async (way) => ({
      way,
      connection: await openConnection(way.url, way.key),
      p50: [] as number[],
      p95: [] as number[],
      processor: [] as number[],
      firstMs: 0,
      results: 0,
    })),
  );
  try {
    for (let round = 0; round <= rounds; round += 1) {
      const from = warmUp + (round - 1) * queriesPerRound;
      const own = round === 0 ? queries.slice(0, warmUp) : queries.slice(from, from + queriesPerRound);
      const responses = await askByTurns(asked, own);
      for (const [index, row] of asked.entries()) {
        const { times, processor, results } = responses[index] ?? { times: [], processor: [], results: 0 };
        // Round 0 only warms up.
        if (round === 0) {
          row.firstMs = times[0] ?? 0;
          continue;
        }
        row.p50.push(median(times));
        row.p95.push(quantile(times, 0.95));
        row.processor.push(...processor);
        row.results += results / times.length / rounds;
      }
    }
  } finally {
    for (const { connection } of asked) connection.close();
  }
  return Object.fromEntries(
    asked.map(({ way, p50, p95, processor, firstMs, results }) => {
      if (results === 0) throw new Error(`hollow: ${way.name} found nothing`);
      const times = { p50: median(p50), p95: median(p95), firstMs, results };
      return [way.name, way.pid === undefined ? times : { ...times, processorMs: median(processor) }];
    }),
  );
}

interface Asker {
  way: Way;
  connection: Connection;
}

interface Responses {
  times: number[];
  /** Processor time of one search, a figure for each turn. */
  processor: number[];
  results: number;
}

/**
 * Rotates the rows, forwards and backwards by turns, so that
 * no way is asked twice in a row with a warm process.
 */
function inTurn<T>(rows: readonly T[], turn: number): T[] {
  const from = turn % rows.length;
  const order = [...rows.slice(from), ...rows.slice(0, from)];
  return turn % 2 === 0 ? order : order.reverse();
}

/** One round: the responses of each way, in the order of the ways. */
async function askByTurns(askers: readonly Asker[], queries: readonly string[]): Promise<Responses[]> {
  const rows = askers.map((asker) => ({
    asker,
    times: [] as number[],
    processor: [] as number[],
    results: 0,
  }));
  for (let start = 0; start < queries.length; start += turnLength) {
    const turn = queries.slice(start, start + turnLength);
    for (const row of inTurn(rows, start / turnLength)) {
      const { pid } = row.asker.way;
      const before = pid === undefined ? 0 : processorMs(pid);
      for (const query of turn) {
        const { ms, results } = await ask(row.asker, query);
        row.times.push(ms);
        row.results += results;
      }
      if (pid !== undefined) row.processor.push((processorMs(pid) - before) / turn.length);
    }
  }
  return rows;
}

async function ask({ way, connection }: Asker, query: string): Promise<{ ms: number; results: number }> {
  const body = way.toBody?.(query) ?? { query, limit: 20, ...way.parameters };
  const call = { method: 'POST' as const, path: way.path, body };
  const response = await callUntilResponse<{ data: unknown[] }>(connection, call, 200);
  return { ms: response.ms, results: way.countIn?.(response.body) ?? response.body.data.length };
}
