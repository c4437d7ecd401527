import { existsSync } from 'node:fs';
import { editSome } from './as-of.ts';
import { generateCorpus } from './corpus.ts';
import { englishWords } from './english-words.ts';
import { loadOurs } from './load.ts';
import { measureCreates } from './measure-create.ts';
import { measureGets } from './measure-get.ts';
import { measureSearches, searchPlan, type Way } from './measure-search.ts';
import { type Ours, startOurs } from './processes.ts';
import type { Settings } from './stages.ts';
import { atMost, type StageResult } from './verdict.ts';

/** Maximum ratio of the time of a request to that in the other build. */
const ratioMax = 1.05;
const words = englishWords();

/**
 * Creates of this build and of another, each service on an empty store of its own, with and without vectors.
 */
export async function runCreateAgainst(main: string, settings: Settings): Promise<StageResult> {
  const verdicts = [];
  for (const embedder of ['none', 'static']) {
    const measured = await withBoth(main, settings, { MEMORYD_EMBEDDER: embedder }, (before, ours) =>
      measureCreates(toSide(before), toSide(ours), {
        rounds: settings.rounds * 2,
        writeMs: settings.quick ? 1000 : 2500,
        singleCreates: settings.quick ? 200 : 500,
        targets: { against: 'other build', rate: 1 / ratioMax, time: ratioMax },
        words,
      }),
    );
    verdicts.push(
      ...measured.map((verdict) => ({ ...verdict, what: `${verdict.what}, embedder ${embedder}` })),
    );
  }
  return { verdicts, details: {} };
}

/** GETs by id of this build and of another. */
export async function runGetAgainst(main: string, settings: Settings): Promise<StageResult> {
  const env = { MEMORYD_DERIVE: 'false', MEMORYD_EMBEDDER: 'none' };
  const verdicts = await withBoth(main, settings, env, (before, ours) =>
    measureGets(toSide(before), toSide(ours), {
      rounds: settings.rounds * 4,
      getsPerRound: 500,
      against: 'other build',
      time: ratioMax,
    }),
  );
  return { verdicts, details: {} };
}

/** The same searches of the same memories in this build and in another, every kind of search by turns. */
export async function runSearchAgainst(main: string, settings: Settings, size: number): Promise<StageResult> {
  const times = await withBoth(main, settings, {}, async (before, ours) => {
    const corpus = generateCorpus(size, size, words);
    const asOf: string[] = [];
    for (const { server } of [before, ours]) {
      await loadOurs(server, corpus);
      asOf.push(await editSome(server, corpus));
    }
    for (const service of [before, ours]) await service.merge();
    const ways = kinds('').flatMap(([kind], i) =>
      [before, ours].map(({ server }, side) =>
        toWay(server, `${kind} ${side}`, kinds(asOf[side] ?? '')[i]?.[1] ?? {}),
      ),
    );
    return measureSearches(ways, searchPlan(corpus, size, settings));
  });
  const verdicts = kinds('').flatMap(([kind]) =>
    (['p50', 'p95', 'processorMs'] as const).map((point) =>
      atMost(ratioMax, {
        what: `search ${kind} ${point === 'processorMs' ? 'processor time' : point}, ${size.toLocaleString('en')} memories`,
        unit: 'ms',
        ours: times[`${kind} 1`]?.[point] ?? 0,
        against: 'other build',
        base: times[`${kind} 0`]?.[point] ?? 0,
      }),
    ),
  );
  return { verdicts, details: { times } };
}

const kinds = (asOfTime: string): [string, object][] => [
  ['plain', { searchMethod: 'keyword', context: false }],
  ['context', { searchMethod: 'keyword' }],
  ['facets', { searchMethod: 'keyword', includeFacets: true }],
  ['as of', { searchMethod: 'keyword', asOfTime }],
  ['hybrid', { searchMethod: 'hybrid' }],
  ['semantic', { searchMethod: 'semantic' }],
];

function toWay({ url, key, pid }: Ours['server'], name: string, parameters: object): Way {
  return { name, url, key, pid, path: '/api/memories/search', parameters };
}

const toSide = ({ server: { url, key, pid } }: Ours) => ({ url, key, pid, path: '/api/memories' });

async function withBoth<T>(
  main: string,
  { engine, own }: Settings,
  env: Record<string, string>,
  run: (before: Ours, ours: Ours) => Promise<T>,
): Promise<T> {
  if (!existsSync(main))
    throw new Error(`--against ${main}: there is no such file; build the other checkout first`);
  const before = await startOurs(engine, env, main);
  try {
    const ours = await startOurs(engine, { ...env, ...own });
    try {
      return await run(before, ours);
    } finally {
      await ours.stop();
    }
  } finally {
    await before.stop();
  }
}
