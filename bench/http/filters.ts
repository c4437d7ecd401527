import type { Corpus } from './corpus.ts';
import type { Owner } from './load.ts';
import { measureSearches, type SearchPlan } from './measure-search.ts';
import { atMost, type StageResult } from './verdict.ts';

/** Ten of the 200 topics, each in about one memory of 200, so that each search finds something. */
const filteredTopics = Array.from({ length: 10 }, (_, i) => `topic ${i + 1}`);

/**
 * The corpus with its topics in the metadata as well, next to other fields that clients are likely to store.
 */
export function withMetadata(corpus: Corpus): Corpus {
  const memories = corpus.memories.map((memory, i) => ({
    ...memory,
    metadata: {
      topic: memory.topics,
      common: i % 2 === 0,
      source: { url: `https://example.test/${i}`, line: i },
    },
  }));
  return { ...corpus, memories };
}

/** Times the same searches filtered by topic and by metadata, which have the same results. */
export async function compareFilters(
  { url, key }: Owner,
  size: number,
  plan: SearchPlan,
): Promise<StageResult> {
  const way = (name: string, parameters: object) => ({
    name,
    url,
    key,
    path: '/api/memories/search',
    parameters: { searchMethod: 'keyword', ...parameters },
  });
  const [topic] = filteredTopics;
  const times = await measureSearches(
    [
      way('topics', { topics: [topic] }),
      way('metadata', { metadata: { topic } }),
      way('topics, many', { topics: filteredTopics }),
      way('metadata, half', { metadata: { common: true } }),
      way('no filter', {}),
    ],
    plan,
  );
  const verdicts = (['p50', 'p95'] as const).map((point) =>
    atMost(2, {
      what: `search by metadata ${point}, ${size.toLocaleString('en')} memories`,
      unit: 'ms',
      ours: times.metadata[point],
      against: 'topics',
      base: times.topics[point],
    }),
  );
  if (times.metadata.results !== times.topics.results)
    throw new Error(
      `hollow: ${times.metadata.results} results by metadata, ${times.topics.results} by topics`,
    );
  return { verdicts, details: { times } };
}
