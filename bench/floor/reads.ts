import { setTimeout as delay } from 'node:timers/promises';
import { callUntilResponse, openConnection } from '../http/connection.ts';
import { quantile } from '../http/quantiles.ts';

/** What answers GETs of these ids, and keyword searches. */
export interface ReadSide {
  readonly url: string;
  readonly key?: string;
  readonly path: string;
  readonly searchPath: string;
  readonly ids: readonly string[];
}

const searchers = 8;
const getEveryMs = 10;

/** GETs of one client, one after another, on both sides by turns of 50: the p50 of each. */
export async function readByTurns(
  sides: readonly ReadSide[],
  { turns, perTurn }: { turns: number; perTurn: number },
): Promise<number[]> {
  const opened = await Promise.all(sides.map(({ url, key }) => openConnection(url, key)));
  const times: number[][] = sides.map(() => []);
  for (let turn = 0; turn <= turns; turn++)
    for (const [i, { path, ids }] of sides.entries())
      for (let n = 0; n < perTurn; n++) {
        const id = ids[(turn * perTurn + n) % ids.length];
        const { ms } = await callUntilResponse(opened[i], { method: 'GET', path: `${path}/${id}` }, 200);
        // The first turn only warms up.
        if (turn > 0) times[i].push(ms);
      }
  for (const connection of opened) connection.close();
  return times.map((own) => quantile(own, 0.5));
}

/** The longest and the p99 of GETs, a hundred a second at most, while keyword searches come at a fixed rate. */
export async function readUnderSearches(
  side: ReadSide,
  queries: readonly string[],
  { seconds, perSecond }: { seconds: number; perSecond: number },
): Promise<{ p50: number; p99: number; longest: number; searchP50: number }> {
  const end = performance.now() + seconds * 1000;
  let next = 0;
  const searched: number[] = [];
  const search = async (index: number) => {
    const connection = await openConnection(side.url, side.key);
    const everyMs = (searchers * 1000) / perSecond;
    for (let at = performance.now() + (index * everyMs) / searchers; at < end; at += everyMs) {
      await delay(Math.max(0, at - performance.now()));
      const body = { query: queries[next++ % queries.length], limit: 20, searchMethod: 'keyword' };
      const call = { method: 'POST' as const, path: side.searchPath, body };
      searched.push((await callUntilResponse(connection, call, 200)).ms);
    }
    connection.close();
  };
  const times: number[] = [];
  const get = async () => {
    const connection = await openConnection(side.url, side.key);
    for (let n = 0; performance.now() < end; n++) {
      const path = `${side.path}/${side.ids[n % side.ids.length]}`;
      const { ms } = await callUntilResponse(connection, { method: 'GET', path }, 200);
      times.push(ms);
      await delay(Math.max(0, getEveryMs - ms));
    }
    connection.close();
  };
  await Promise.all([get(), ...Array.from({ length: searchers }, (_, index) => search(index))]);
  return {
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    longest: Math.max(...times),
    searchP50: quantile(searched, 0.5),
  };
}
