import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { awaitSteps } from '../../test/support/await-steps.ts';
import { patientClient } from '../../test/support/http-client.ts';
import { generateCorpus } from './corpus.ts';
import { loadOurs } from './load.ts';
import { measureSearches, searchPlan, type Way } from './measure-search.ts';
import { keptDatabase, type Ours } from './processes.ts';
import { type Settings, withOurs } from './stages.ts';
import { talkTexts } from './talk-texts.ts';
import { atMost, type StageResult } from './verdict.ts';

const ratioMax = 15;
/** File next to a kept store, written when it has all memories. */
const loadedMark = 'loaded';
/** Time limit to derive 100,000 memories on a shared machine. */
const derivedWithinMs = 3 * 3_600_000;

interface Sections {
  readonly relevantMemories: readonly unknown[];
}

/**
 * Compares digests of up to 100 sources, and contexts for work, with hybrid searches of
 * the same run. Derivation of a large store takes longer than its measurement, so a kept
 * store (`settings.store`, with one folder per size) is derived only once.
 */
export async function runBriefing(settings: Settings, size: number): Promise<StageResult> {
  const kept = settings.store === undefined ? undefined : join(settings.store, String(size));
  const measure = async (ours: Ours) => {
    const corpus = generateCorpus(size, size, talkTexts());
    const loaded = kept !== undefined && existsSync(join(kept, loadedMark));
    if (!loaded) await loadOurs(ours.server, corpus);
    if (kept !== undefined) await writeFile(join(kept, loadedMark), '');
    // Both responses contain facts and entities.
    await awaitSteps(patientClient(ours.server.url, ours.server.key), 5000, derivedWithinMs);
    const merged = await ours.merge();
    // The merge restarts the service: read its process and port again.
    const { url, key, pid } = ours.server;
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
  };
  return withOurs(settings.engine, measure, undefined, kept === undefined ? undefined : keptDatabase(kept));
}
