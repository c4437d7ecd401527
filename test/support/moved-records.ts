import { expect } from 'vitest';
import type { Client, Reply } from './http-client.ts';
import { randomFrom } from './random.ts';
import { writeSampleRecords } from './sample-records.ts';

type Made = { data: { id: string; conversationId: string } };

const words = 'harbour kettle walrus ledger Köln 東京 pipeline invoice orchid tram deploy Zürich'.split(' ');

/** Records of every kind, with a history: changed, superseded, named, merged, deleted, restored. */
export async function writeHistory(http: Client, memories: number): Promise<void> {
  const random = randomFrom(7);
  const text = () => Array.from({ length: random.int(3, 22) }, () => random.pick(words)).join(' ');
  await writeSampleRecords(http);
  const ids: string[] = [];
  for (let i = 0; i < memories; i++) {
    const { status, body } = await http.post<Made>('/api/memories', {
      content: i % 9 === 0 ? `="${text()}", said\nAna\u2028` : text(),
      conversationId: 'NEW',
      topics: i === 0 ? ['tram', 'orchid'] : [random.pick(words), random.pick(words)],
      ...(i % 3 === 0 ? { metadata: { place: random.pick(words), n: i, deep: { list: [i % 5] } } } : {}),
      ...(i % 4 === 0 ? { eventTime: `2024-0${random.int(1, 9)}-11` } : {}),
    });
    expect(status).toBe(201);
    ids.push(body.data.id);
  }
  const done = async (reply: Promise<Reply<unknown>>) => {
    const { status, text: body } = await reply;
    expect([status, body]).toEqual([expect.toSatisfy((code: number) => code < 300), body]);
  };
  for (const [i, id] of ids.entries()) {
    if (i % 5 === 1) await done(http.put(`/api/memories/${id}`, { content: text() }));
    if (i % 7 === 2)
      await done(
        http.post(`/api/memories/${id}/relationships`, {
          targetMemoryId: ids[(i + 1) % ids.length],
          type: 'SUPERSEDES',
        }),
      );
    if (i % 11 === 3) await done(http.delete(`/api/memories/${id}`));
    if (i % 6 === 4)
      await done(http.post('/api/facts', { subject: text(), predicate: 'is', object: text(), memoryId: id }));
  }
  await done(http.put('/api/memories/named/release-plan', { content: 'A newer plan of the release' }));
  await done(http.post('/api/narratives', { title: 'Trams', rootMemoryId: ids[0] }));
  const [tram, orchid] = await Promise.all(
    ['tram', 'orchid'].map(async (name) => (await http.get<Made>(`/api/topics/${name}`)).body.data.id),
  );
  await done(http.post('/api/topics/merge', { sourceTopicId: tram, targetTopicId: orchid }));
}

const lists = [
  '/api/memories?metadata.deep.list=3',
  '/api/memories?limit=1000',
  '/api/memories?limit=30&offset=10&order=asc&includeSuperseded=true',
  '/api/memories/stats',
  '/api/memories/named/release-plan',
  '/api/memories/named/release-plan/history',
  '/api/conversations?limit=1000',
  '/api/topics?limit=1000',
  '/api/facts?limit=1000',
  '/api/artifacts?limit=1000',
  '/api/narratives?limit=1000',
  '/api/trash?limit=1000',
];

const queries = [
  'kettle',
  'harbor walrus',
  'köln tram',
  '東京',
  'plan of the release',
  'orchid',
  'zurich deply',
  '"ledger tram"',
  'how do we pay for boats',
  'inv',
];

/** 240 searches: every arm, filter and look back. @param middle a time at which half of it was written */
function searches(middle: string, conversationId: string): string[] {
  const past = encodeURIComponent(middle);
  const variants = [
    '',
    '&searchMethod=keyword',
    '&searchMethod=keyword&order=asc',
    '&searchMethod=semantic',
    '&searchMethod=semantic&threshold=0.1&includeSuperseded=true',
    '&vectorWeight=0.2&fulltextWeight=0.8',
    '&includeSuperseded=true&explain=true',
    '&includeFacets=true&includeTopics=true&includeFacts=true',
    '&sortBy=createdAt',
    '&limit=5&offset=3',
    '&mode=content',
    '&mode=facts',
    `&asOfTime=${past}`,
    `&asOfTime=${past}&searchMethod=semantic`,
    `&asOfTime=${past}&searchMethod=keyword&includeSuperseded=true`,
    `&validAtTime=${past}`,
    '&temporalMode=historical',
    '&temporalMode=evolution',
    '&eventTimeFrom=2024-03-01&eventTimeTo=2024-06-30',
    `&ingestionTimeTo=${past}`,
    `&ingestionTimeFrom=${past}&searchMethod=keyword`,
    '&topics=tram',
    '&memoryType=semantic',
    `&conversationId=${conversationId}`,
  ];
  return queries.flatMap((query) =>
    variants.map((variant) => {
      const limit = variant.includes('limit=') ? '' : '&limit=50';
      return `/api/memories/search?q=${encodeURIComponent(query)}${limit}${variant}`;
    }),
  );
}

/** What a user is told of all their records, but for times taken and the user's own id: bodies and ETags, by request. */
export async function responsesOf(http: Client): Promise<Record<string, unknown>> {
  const responses: Record<string, unknown> = {};
  const me = await http.get<Made>('/api/users/me');
  const ask = async (path: string, body?: object) => {
    const { status, text, headers } = await (body ? http.post(path, body) : http.get(path));
    expect([path, status]).toEqual([path, 200]);
    const untimed = text.replace(/"searchTime":[\d.]+/, '"searchTime":0').replaceAll(me.body.data.id, 'me');
    responses[`${path} ${JSON.stringify(body ?? null)}`] = [untimed, headers.get('etag')];
    return JSON.parse(text) as { data: { id: string; createdAt: string; conversationId: string }[] };
  };
  for (const path of lists) await ask(path);
  const { data } = await ask('/api/memories?limit=1000&includeSuperseded=true');
  const { createdAt, conversationId } = data[Math.floor(data.length / 2)];
  for (const path of searches(createdAt, conversationId)) await ask(path);
  for (const { id } of data) {
    await ask(`/api/memories/${id}`);
    await ask(`/api/memories/${id}/relationships`);
    await ask(`/api/memories/${id}/timeline`);
    await ask(`/api/memories/${id}/related`);
  }
  const conversations = await ask('/api/conversations?limit=1000');
  for (const { id } of conversations.data) await ask(`/api/conversations/${id}/timeline`);
  await ask('/api/memories/export', { limit: 1000 });
  for (const query of queries) await ask('/api/facts/search', { query });
  for (const query of queries) await ask('/api/topics/search', { query });
  return responses;
}

/** A cursor belongs to a user and a store: another one has others. */
const withoutCursors = (response: unknown) =>
  (JSON.stringify(response) ?? '').replace(/(nextCursor\\*":\\*")[\w-]+/g, '$1there');

/** Says of each answer that is not the same which it is, where it begins to differ and how. */
export function differences(found: Record<string, unknown>, expected: Record<string, unknown>): string[] {
  const asked = [...new Set([...Object.keys(found), ...Object.keys(expected)])];
  return asked.flatMap((path) => {
    const [a, b] = [found[path], expected[path]].map(withoutCursors);
    if (a === b) return [];
    const at = Math.max(0, [...a].findIndex((char, i) => char !== b[i]) - 40);
    return [`${path}: ${a.slice(at, at + 160)} INSTEAD OF ${b.slice(at, at + 160)}`];
  });
}
