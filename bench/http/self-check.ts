import { generateCorpus } from './corpus.ts';
import { loadFloor } from './load.ts';
import { measureCreates } from './measure-create.ts';
import { measureSearches, searchPlan } from './measure-search.ts';
import type { Floor } from './processes.ts';
import type { Settings } from './stages.ts';
import { atMost, type StageResult } from './verdict.ts';

/** Compares the floor with itself: the noise of a ratio, which should be 1. */
export async function runSelfCheck(floor: Floor, settings: Settings): Promise<StageResult> {
  const creates = await measureCreates(
    { url: floor.url, path: '/one/memories' },
    { url: floor.url, path: '/two/memories' },
    {
      rounds: settings.rounds * 2,
      writeMs: settings.quick ? 1000 : 2500,
      singleCreates: 200,
      targets: { against: 'floor', rate: 0.5, time: 2 },
    },
  );
  const verdicts = [...creates];
  const details: Record<string, unknown> = {};
  for (const size of settings.sizes) {
    const corpus = generateCorpus(size, size);
    await loadFloor(floor.url, `a${size}`, corpus);
    await loadFloor(floor.url, `b${size}`, corpus);
    const ways = ['a', 'b'].map((name) => ({ name, url: floor.url, path: `/${name}${size}/search` }));
    const plan = searchPlan(corpus, 0, { ...settings, quick: true });
    const times = await measureSearches(ways, plan);
    const [a, b] = [times.a, times.b];
    if (!a || !b) throw new Error('hollow: no searches');
    for (const point of ['p50', 'p95'] as const)
      verdicts.push(
        atMost(2, {
          what: `search ${point}, ${size.toLocaleString('en')} memories`,
          unit: 'ms',
          ours: b[point],
          against: 'floor',
          base: a[point],
        }),
      );
    details[String(size)] = times;
  }
  return { verdicts, details };
}
