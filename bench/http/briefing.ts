import { awaitSteps } from '../../test/support/await-steps.ts';
import { patientClient } from '../../test/support/http-client.ts';
import { generateCorpus } from './corpus.ts';
import { englishWords } from './english-words.ts';
import { loadOurs } from './load.ts';
import { measureSearches, searchPlan, type Way } from './measure-search.ts';
import { type Settings, withOurs } from './stages.ts';
import { atMost, type StageResult } from './verdict.ts';

const ratioMax = 15;
const words = englishWords();

interface Sections {
  readonly relevantMemories: readonly unknown[];
}

/** Digests of up to 100 sources and contexts for work against hybrid searches of the same run. */
export async function runBriefing(settings: Settings, size: number): Promise<StageResult> {
  return withOurs(settings.engine, async ({ server, merge }) => {
    const corpus = generateCorpus(size, size, words);
    await loadOurs(server, corpus);
    // Facts and entities are part of what both answer.
    await awaitSteps(patientClient(server.url, server.key));
    const merged = await merge();
    const { url, key, pid } = server;
    const ways: Way[] = [
      { name: 'hybrid', url, key, pid, path: '/api/memories/search', parameters: { searchMethod: 'hybrid' } },
      {
        name: 'digest',
        url,
        key,
        pid,
        path: '/api/memories/digest',
        toBody: (query) => ({ query, maxSources: 100 }),
        countIn: (body) => (body as { sources: unknown[] }).sources.length,
      },
      {
        name: 'context',
        url,
        key,
        pid,
        path: '/api/memories/build-context',
        toBody: (query) => ({ context: query, files: ['src/queue/retry.ts'] }),
        countIn: (body) => (body as Sections).relevantMemories.length,
      },
    ];
    const times = await measureSearches(ways, searchPlan(corpus, size, { ...settings, quick: true }));
    const verdicts = ['digest', 'context'].flatMap((name) =>
      (['p50', 'p95'] as const).map((point) =>
        atMost(ratioMax, {
          what: `${name} ${point}, ${size.toLocaleString('en')} memories`,
          unit: 'ms',
          ours: times[name][point],
          against: 'hybrid search',
          base: times.hybrid[point],
        }),
      ),
    );
    return { verdicts, details: { times, merged } };
  });
}
