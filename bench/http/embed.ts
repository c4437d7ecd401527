import { client } from '../../test/support/http-client.ts';
import { poll } from '../../test/support/poll.ts';
import { openConnection } from './connection.ts';
import { generateCorpus } from './corpus.ts';
import { englishWords } from './english-words.ts';
import { loadOurs, type Owner } from './load.ts';
import { type Ours, processorMs, residentMiB } from './processes.ts';
import { quantile } from './quantiles.ts';
import { type Settings, withOurs } from './stages.ts';
import type { StageResult } from './verdict.ts';

const words = englishWords();
const singleWrites = 40;
const deadlineMs = 60 * 60_000;

interface Status {
  data: { embedding: { spaces: { state: string; waiting: number; done: number; total: number }[] } };
}

/**
 * Measures how fast all configured models embed imported memories, and memories
 * created one at a time. Derivation runs at the same time, as after any import.
 */
export async function runEmbed(settings: Settings, size: number): Promise<StageResult> {
  return withOurs(
    settings.engine,
    async ({ server }: Ours) => {
      const corpus = generateCorpus(size, size, words);
      const started = performance.now();
      await loadOurs(server, corpus);
      const storedMs = performance.now() - started;
      await untilEmbedded(server, 100);
      const embeddedMs = performance.now() - started;
      const processor = processorMs(server.pid);
      const single = await singleWritesMs(server, generateCorpus(singleWrites, size + 1, words));
      const details = {
        embedder: settings.own.MEMORYD_EMBEDDER ?? settings.embedder,
        storedSeconds: inSeconds(storedMs),
        embeddedSeconds: inSeconds(embeddedMs),
        textsPerSecond: Math.round(size / (embeddedMs / 1000)),
        processorSeconds: inSeconds(processor),
        singleMs: { p50: Math.round(quantile(single, 0.5)), p95: Math.round(quantile(single, 0.95)) },
        residentMiB: residentMiB(server.pid),
      };
      return { verdicts: [], details };
    },
    { MEMORYD_EMBEDDER: settings.embedder, ...settings.own },
  );
}

/** Waits until all texts are embedded and no space is being completed. */
export async function untilEmbedded({ url, key }: Owner, everyMs: number): Promise<void> {
  const http = client(url, key);
  await poll(
    'everything is embedded',
    async () => {
      const { body } = await http.get<Status>('/api/system/context/status');
      const { spaces } = body.data.embedding;
      const isLeft = spaces.some(
        ({ state, waiting, done, total }) => state !== 'serving' || waiting > 0 || done < total,
      );
      return isLeft ? undefined : true;
    },
    deadlineMs,
    everyMs,
  );
}

/** Milliseconds from each 201 to the vectors of its memory, polled every 5 ms. */
async function singleWritesMs(owner: Owner, { memories }: ReturnType<typeof generateCorpus>) {
  const connection = await openConnection(owner.url, owner.key);
  const times: number[] = [];
  try {
    for (const { conversation: _, ...memory } of memories) {
      const body = { ...memory, conversationId: 'NEW' };
      const { status } = await connection.call({ method: 'POST', path: '/api/memories', body });
      if (status !== 201) throw new Error(`a create answered ${status}`);
      const written = performance.now();
      await untilEmbedded(owner, 5);
      times.push(performance.now() - written);
    }
  } finally {
    connection.close();
  }
  return times;
}

const inSeconds = (ms: number) => Math.round(ms / 100) / 10;
