import { setTimeout as delay } from 'node:timers/promises';
import { mapConcurrently } from '../../test/support/concurrently.ts';
import { client } from '../../test/support/http-client.ts';
import { randomFrom } from '../../test/support/random.ts';
import { type Corpus, generateText } from './corpus.ts';
import type { Owner } from './load.ts';
import { measureSearches, type SearchPlan } from './measure-search.ts';
import { atMost, type StageResult } from './verdict.ts';

const editors = 16;
const editedShare = 0.2;
const pageSize = 1000;

/** Edits a fifth of the owner's memories. @returns a time between the load and the edits */
export async function editSome({ url, key }: Owner, { memories }: Corpus): Promise<string> {
  const http = client(url, key);
  await delay(1100);
  const before = new Date(Date.now() - 500).toISOString();
  const random = randomFrom(20);
  const ids: string[] = [];
  for (let offset = 0; offset < memories.length; offset += pageSize) {
    const page = await http.get<{ data: { id: string }[] }>(
      `/api/memories?limit=${pageSize}&offset=${offset}&sortBy=createdAt&order=asc`,
    );
    ids.push(...page.body.data.map(({ id }) => id));
  }
  if (ids.length !== memories.length) throw new Error(`hollow: ${ids.length} memories listed`);
  const edited = ids.filter(() => random.chance(editedShare));
  await mapConcurrently(edited, editors, async (id) => {
    const { status } = await http.put(`/api/memories/${id}`, { content: generateText(random) });
    if (status !== 200) throw new Error(`an edit answered ${status}`);
  });
  return before;
}

/** Searches as of a time before a fifth was edited, to the same searches as of now. */
export async function compareAsOf(
  { url, key }: Owner,
  asOfTime: string,
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
  const ways = [
    way('now', {}),
    way('as of', { asOfTime }),
    way('plain now', { context: false }),
    way('plain as of', { context: false, asOfTime }),
  ];
  const times = await measureSearches(ways, plan);
  const verdicts = [
    ['as of', 'now'],
    ['plain as of', 'plain now'],
  ].flatMap(([name, against]) =>
    (['p50', 'p95'] as const).map((point) =>
      atMost(2.5, {
        what: `search ${name} ${point}, ${size.toLocaleString('en')} memories, a fifth edited`,
        unit: 'ms',
        ours: times[name][point],
        against,
        base: times[against][point],
      }),
    ),
  );
  return { verdicts, details: { times, asOfTime } };
}
