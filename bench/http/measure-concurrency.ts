import { openConnection } from './connection.ts';
import type { Owner } from './load.ts';
import { write } from './measure-create.ts';
import { median, quantile } from './quantiles.ts';
import { atMost, type Verdict } from './verdict.ts';

const searchersMax = 50;
const writersMax = 16;

export interface ConcurrencyOptions {
  rounds: number;
  roundMs: number;
  queries: readonly string[];
}

/** Fifty searchers alone and beside sixteen writers of the same user, by turns. */
export async function measureConcurrency(ours: Owner, options: ConcurrencyOptions): Promise<Verdict[]> {
  const alone: number[] = [];
  const beside: number[] = [];
  const writeRates: number[] = [];
  for (let round = 0; round <= options.rounds; round += 1) {
    const quiet = await searchFor(ours, round, options);
    const [busy, written] = await Promise.all([
      searchFor(ours, round, options),
      writeFor(ours, round, options.roundMs),
    ]);
    // Round 0 only warms up.
    if (round === 0) continue;
    alone.push(quantile(quiet, 0.95));
    beside.push(quantile(busy, 0.95));
    writeRates.push((written / options.roundMs) * 1000);
  }
  if (median(writeRates) === 0) throw new Error('hollow: the writers wrote nothing');
  const writers = `${writersMax} writers (${median(writeRates).toFixed(0)}/s)`;
  return [
    atMost(4, {
      what: `search p95, ${searchersMax} searchers beside ${writers}`,
      unit: 'ms',
      ours: median(beside),
      against: `${searchersMax} searchers alone`,
      base: median(alone),
    }),
  ];
}

async function writeFor(ours: Owner, round: number, roundMs: number): Promise<number> {
  const { url, key } = ours;
  const end = performance.now() + roundMs;
  const side = { url, key, path: '/api/memories' };
  const writers = Array.from({ length: writersMax }, (_, writer) =>
    write(side, 500_000 + round * 100 + writer, () => performance.now() < end),
  );
  return (await Promise.all(writers)).flat().length;
}

async function searchFor(ours: Owner, round: number, options: ConcurrencyOptions): Promise<number[]> {
  const end = performance.now() + options.roundMs;
  const searchers = Array.from({ length: searchersMax }, (_, searcher) =>
    searchUntil(ours, end, rotate(options.queries, searcher * 37 + round * 11)),
  );
  return (await Promise.all(searchers)).flat();
}

async function searchUntil(ours: Owner, end: number, queries: readonly string[]): Promise<number[]> {
  const connection = await openConnection(ours.url, ours.key);
  const times: number[] = [];
  try {
    for (let next = 0; performance.now() < end; next += 1) {
      const body = { query: queries[next % queries.length], limit: 20, searchMethod: 'keyword' };
      const { status, ms, text } = await connection.call({
        method: 'POST',
        path: '/api/memories/search',
        body,
      });
      if (status !== 200) throw new Error(`a search answered ${status}: ${text.slice(0, 500)}`);
      times.push(ms);
    }
  } finally {
    connection.close();
  }
  return times;
}

function rotate<T>(items: readonly T[], by: number): T[] {
  const start = by % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}
