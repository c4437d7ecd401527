import { loadModels } from '../../src/embedding/load-models.ts';
import { mapConcurrently } from '../../test/support/concurrently.ts';
import { callUntilResponse, openConnection } from './connection.ts';
import { type Corpus, generateCorpus } from './corpus.ts';
import { untilEmbedded } from './embed.ts';
import { englishWords } from './english-words.ts';
import { loadOurs, type Owner } from './load.ts';
import { measureCreates } from './measure-create.ts';
import { measureSearches, searchPlan } from './measure-search.ts';
import { type Ours, processorMs, residentMiB } from './processes.ts';
import { quantile } from './quantiles.ts';
import { type Settings, withOurs } from './stages.ts';
import { atMost, type StageResult } from './verdict.ts';

const words = englishWords();
const withoutEmbedder = { MEMORYD_EMBEDDER: 'none' };
const memoriesOfEach = 1000;
const embeddedTexts = 20_000;
const settingsOf = ({ embedder, own }: Settings) => ({ MEMORYD_EMBEDDER: embedder, ...own });

/**
 * Compares hybrid and semantic searches with keyword searches of the same service; measures the first search.
 */
export async function runSemantic(settings: Settings, size: number): Promise<StageResult> {
  return withOurs(
    settings.engine,
    async (ours) => {
      const corpus = generateCorpus(size, size, words);
      await loadOurs(ours.server, corpus);
      await untilEmbedded(ours.server, 1000);
      const merged = await ours.merge();
      const first = await firstSearches(ours, corpus);
      const way = (searchMethod: string) => {
        const { url, key } = ours.server;
        return { name: searchMethod, url, key, path: '/api/memories/search', parameters: { searchMethod } };
      };
      const ways = [way('keyword'), way('hybrid'), way('semantic')];
      const times = await measureSearches(ways, searchPlan(corpus, size, settings));
      const verdicts = (['p50', 'p95'] as const).map((point) =>
        atMost(2, {
          what: `hybrid search ${point}, ${size.toLocaleString('en')} memories`,
          unit: 'ms',
          ours: times.hybrid[point],
          against: 'keyword',
          base: times.keyword[point],
        }),
      );
      return { verdicts, details: { times, first, searchedMiB: residentMiB(ours.server.pid), merged } };
    },
    settingsOf(settings),
  );
}

/** Times the first keyword and the first hybrid search after a start, each in a new process. */
async function firstSearches(ours: Ours, corpus: Corpus) {
  const measured: Record<string, { firstMs: number; secondMs: number; beforeMiB: number; afterMiB: number }> =
    {};
  for (const searchMethod of ['keyword', 'hybrid']) {
    await ours.restart();
    const beforeMiB = residentMiB(ours.server.pid);
    const [firstMs, secondMs] = await searchOnce(ours.server, corpus.queries(2, 7), searchMethod);
    measured[searchMethod] = { firstMs, secondMs, beforeMiB, afterMiB: residentMiB(ours.server.pid) };
  }
  return measured;
}

/** Milliseconds of each query, one after another on a connection of their own. */
async function searchOnce(
  { url, key }: Owner,
  queries: readonly string[],
  searchMethod: string,
): Promise<number[]> {
  const connection = await openConnection(url, key);
  try {
    const times: number[] = [];
    for (const query of queries) {
      const body = { query, limit: 20, searchMethod };
      const call = { method: 'POST' as const, path: '/api/memories/search', body };
      const response = await callUntilResponse<{ data: unknown[] }>(connection, call, 200);
      if (response.body.data.length === 0) throw new Error(`hollow: "${query}" found nothing`);
      times.push(Math.round(response.ms * 10) / 10);
    }
    return times;
  } finally {
    connection.close();
  }
}

/**
 * Compares creates with and without the embedder, each service on
 * a store of its own; measures the embedder alone.
 */
export async function runSemanticCreate(settings: Settings): Promise<StageResult> {
  const during = (ours: Ours) =>
    withOurs(
      settings.engine,
      async (without) => {
        const side = ({ server: { url, key } }: Ours) => ({ url, key, path: '/api/memories' });
        const verdicts = await measureCreates(side(without), side(ours), {
          rounds: settings.rounds * 2,
          writeMs: settings.quick ? 1000 : 2500,
          singleCreates: settings.quick ? 200 : 500,
          targets: { against: 'no embedder', rate: 0.8, time: 1.25 },
          words,
        });
        const details = {
          embeddedPerSecond: embeddedPerSecond(),
          withMiB: residentMiB(ours.server.pid),
          withoutMiB: residentMiB(without.server.pid),
        };
        return { verdicts, details };
      },
      withoutEmbedder,
    );
  return withOurs(settings.engine, during, settingsOf(settings));
}

/** Texts of 8 to 30 words that an otherwise idle process embeds per second. */
function embeddedPerSecond(): number {
  const embedder = loadModels({ embedder: 'static' })?.bundled;
  if (!embedder) throw new Error('hollow: no embedder');
  const texts = generateCorpus(embeddedTexts, 1, words).memories.map(({ content }) => content);
  for (const text of texts.slice(0, 1000)) embedder.embedNow(text);
  const started = performance.now();
  let sum = 0;
  for (const text of texts) sum += embedder.embedNow(text)[0];
  if (!Number.isFinite(sum) || sum === 0) throw new Error('hollow: vectors of nothing');
  return Math.round((texts.length / (performance.now() - started)) * 1000);
}

/**
 * Measures memory of the process and search times as one user, then many users search, 1,000
 * memories each. Each user searches once after a start, and once more in the same order.
 */
export async function runSemanticUsers(settings: Settings): Promise<StageResult> {
  return withOurs(
    settings.engine,
    async (ours) => {
      const owners = await loadUsers(ours, settings.others);
      const merged = await ours.merge();
      await ours.restart();
      const { pid } = ours.server;
      const idleMiB = residentMiB(pid);
      const queries = generateCorpus(memoriesOfEach, 1, words).queries(2 * owners.length, 3);
      const first = await searchOfEach(ours, owners.slice(0, 1), queries);
      const oneMiB = residentMiB(pid);
      const rest = await searchOfEach(ours, owners.slice(1), queries.slice(1, owners.length));
      const again = await searchOfEach(ours, owners, queries.slice(owners.length));
      const details = {
        users: owners.length,
        idleMiB,
        oneMiB,
        allMiB: residentMiB(pid),
        first,
        rest,
        again,
        merged,
      };
      return { verdicts: [], details };
    },
    settingsOf(settings),
  );
}

/** A hybrid search of each user, one after another. */
async function searchOfEach({ server }: Ours, keys: readonly string[], queries: readonly string[]) {
  const times: number[] = [];
  const before = processorMs(server.pid);
  for (const [i, key] of keys.entries()) {
    const [ms] = await searchOnce({ url: server.url, key }, [queries[i] ?? ''], 'hybrid');
    times.push(ms);
  }
  const processor = Math.round(((processorMs(server.pid) - before) / keys.length) * 10) / 10;
  return { p50: quantile(times, 0.5), p95: quantile(times, 0.95), longest: Math.max(...times), processor };
}

async function loadUsers(ours: Ours, count: number): Promise<string[]> {
  const users = Array.from({ length: count }, (_, index) => index);
  return mapConcurrently(users, 4, async (index) => {
    const key = await ours.keyOf(`user-${index}`);
    await loadOurs({ url: ours.server.url, key }, generateCorpus(memoriesOfEach, 1 + index, words), 8);
    return key;
  });
}
