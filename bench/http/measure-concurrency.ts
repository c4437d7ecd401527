import { callUntilResponse, openConnection } from './connection.ts';
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

/** Fifty searchers alone and with sixteen writers of the same user, by turns; and how many searches were refused. */
export async function measureConcurrency(
  ours: Owner,
  options: ConcurrencyOptions,
): Promise<{ verdict: Verdict; refused: { alone: number; during: number } }> {
  const alone: number[] = [];
  const during: number[] = [];
  const writeRates: number[] = [];
  const refused = { alone: 0, during: 0 };
  for (let round = 0; round <= options.rounds; round += 1) {
    const quiet = await searchFor(ours, round, options);
    const [busy, written] = await Promise.all([
      searchFor(ours, round, options),
      writeFor(ours, round, options.roundMs),
    ]);
    // Round 0 only warms up.
    if (round === 0) continue;
    alone.push(quantile(quiet.times, 0.95));
    during.push(quantile(busy.times, 0.95));
    refused.alone += quiet.refusals;
    refused.during += busy.refusals;
    writeRates.push((written / options.roundMs) * 1000);
  }
  if (median(writeRates) === 0) throw new Error('hollow: the writers wrote nothing');
  const writers = `${writersMax} writers (${median(writeRates).toFixed(0)}/s)`;
  const verdict = atMost(4, {
    what: `search p95, ${searchersMax} searchers beside ${writers}`,
    unit: 'ms',
    ours: median(during),
    against: `${searchersMax} searchers alone`,
    base: median(alone),
  });
  return { verdict, refused };
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

interface Searched {
  times: number[];
  refusals: number;
}

async function searchFor(ours: Owner, round: number, options: ConcurrencyOptions): Promise<Searched> {
  const end = performance.now() + options.roundMs;
  const searchers = Array.from({ length: searchersMax }, (_, searcher) =>
    searchUntil(ours, end, rotate(options.queries, searcher * 37 + round * 11)),
  );
  const searched = await Promise.all(searchers);
  return {
    times: searched.flatMap(({ times }) => times),
    refusals: searched.reduce((sum, { refusals }) => sum + refusals, 0),
  };
}

async function searchUntil(ours: Owner, end: number, queries: readonly string[]): Promise<Searched> {
  const connection = await openConnection(ours.url, ours.key);
  const searched: Searched = { times: [], refusals: 0 };
  try {
    for (let next = 0; performance.now() < end; next += 1) {
      const body = { query: queries[next % queries.length], limit: 20, searchMethod: 'keyword' };
      const call = { method: 'POST' as const, path: '/api/memories/search', body };
      const { ms, refusals } = await callUntilResponse(connection, call, 200);
      searched.times.push(ms);
      searched.refusals += refusals;
    }
  } finally {
    connection.close();
  }
  return searched;
}

function rotate<T>(items: readonly T[], by: number): T[] {
  const start = by % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}
