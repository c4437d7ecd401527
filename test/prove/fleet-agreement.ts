import { type Client, client } from '../support/http-client.ts';
import { clientEras, connectEra } from '../support/mcp-client.ts';
import { poll } from '../support/poll.ts';
import { createUserKey, runMemoryd } from '../support/server.ts';
import { demand } from './proof.ts';

interface Fleet {
  readonly urls: readonly string[];
  readonly key: string;
  readonly databaseUrl: string;
}

type Made = { data: { id: string } };

/** What one process did holds for the others: keys of requests, versions, merges, API keys, removed users, MCP. */
export async function checkAgreement(fleet: Fleet): Promise<void> {
  const https = fleet.urls.map((url) => client(url, fleet.key));
  await checkIdempotency(https);
  await checkVersions(https);
  await checkMerge(https);
  await checkKeys(fleet, https);
  await checkRemoval(fleet);
  for (const era of clientEras) await checkMcp(fleet, era);
}

/** One `Idempotency-Key` sent to all at once makes one memory. */
async function checkIdempotency(https: readonly Client[]): Promise<void> {
  const send = (http: Client) =>
    http.post<Made>('/api/memories', { content: 'sent to all at once' }, { 'idempotency-key': 'at-once' });
  const first = await Promise.all(https.map(send));
  const again = await Promise.all(https.map(send));
  const ids = new Set(
    [...first, ...again].filter(({ status }) => status === 201).map(({ body }) => body.data.id),
  );
  demand(ids.size === 1, 'one Idempotency-Key made several memories', [...ids]);
  demand(
    first.every(({ status }) => status === 201 || status === 409),
    'a key in use is answered by 409',
    first.map(({ text }) => text),
  );
  demand(
    again.every(({ status }) => status === 201),
    'a key that was used answers as the first time',
    again.map(({ text }) => text),
  );
}

/** Of edits that start from one version, at all at once, one is taken. */
async function checkVersions(https: readonly Client[]): Promise<void> {
  const made = await https[0].post<Made>('/api/memories', { content: 'version 1' });
  const path = `/api/memories/${made.body.data.id}`;
  for (let version = 1; version <= 5; version++) {
    const read = await https[version % https.length].get(path);
    const match = { 'if-match': read.headers.get('etag') ?? '' };
    const edits = await Promise.all(
      https.map((http, i) => http.put(path, { content: `version ${version + 1} of ${i}` }, match)),
    );
    const statuses = edits.map(({ status }) => status).sort();
    demand(
      statuses.join() === [200, ...https.slice(1).map(() => 412)].join(),
      'two edits of one version were taken',
      statuses,
    );
  }
  const bodies = await Promise.all(https.map(async (http) => (await http.get(path)).text));
  demand(new Set(bodies).size === 1, 'processes read different versions', bodies);
}

/** A topic that was merged by one process finds the memories of both in all. */
async function checkMerge(https: readonly Client[]): Promise<void> {
  for (const [i, topic] of ['fleet-sea', 'fleet-zoo'].entries())
    await https[i].post('/api/memories', { content: `okapi ${i}`, topics: [topic], conversationId: 'NEW' });
  const body = { sourceTopicId: 'fleet-sea', targetTopicId: 'fleet-zoo' };
  const merged = await https[2].post('/api/topics/merge', body);
  demand(merged.status === 200, 'a merge was refused', merged.text);
  for (const http of https) {
    const query = 'q=okapi&context=false&topics=fleet-zoo&searchMethod=keyword';
    const { body: found } = await http.get<{ data: unknown[] }>(`/api/memories/search?${query}`);
    demand(found.data.length === 2, 'a process does not know of the merge', found);
  }
}

/** A key that one process made is taken by all, and after its end by none. */
async function checkKeys({ urls }: Fleet, https: readonly Client[]): Promise<void> {
  const made = await https[0].post<{ data: { apiKey: string; keyInfo: { id: string } } }>('/api/apikeys', {
    label: 'fleet',
  });
  demand(made.status === 201, 'a key was not made', made.status);
  const { apiKey, keyInfo } = made.body.data;
  const statuses = () =>
    Promise.all(urls.map(async (url) => (await client(url, apiKey).get('/api/memories?limit=1')).status));
  const taken = await statuses();
  demand(
    taken.every((status) => status === 200),
    'a new key is not taken by all',
    taken,
  );
  const ended = await https[1].delete(`/api/apikeys/${keyInfo.id}`);
  demand(ended.status < 300, 'a key was not revoked', ended.text);
  const after = await statuses();
  demand(
    after.every((status) => status === 401),
    'a revoked key is still taken',
    after,
  );
}

/** A user who was removed is unknown to all, and has left nothing to one of that name. */
async function checkRemoval({ urls, databaseUrl }: Fleet): Promise<void> {
  const gone = await createUserKey(databaseUrl, 'gone');
  for (const url of urls) await client(url, gone).post('/api/memories', { content: 'soon gone' });
  const removed = await runMemoryd(databaseUrl, ['users', 'remove', 'gone', '--yes']);
  demand(removed.code === 0, 'the user was not removed', removed.stderr);
  for (const url of urls)
    await poll('the key of a removed user is refused', async () => {
      const { status } = await client(url, gone).get('/api/memories');
      return status === 401 ? true : undefined;
    });
  const again = await createUserKey(databaseUrl, 'gone');
  for (const url of urls) {
    const found = await client(url, again).get<{ data: unknown[] }>('/api/memories/search?q=gone');
    demand(found.status === 200 && found.body.data.length === 0, 'a removed user left something', found.text);
  }
}

/** An agent whose requests go to the processes in turns. */
async function checkMcp({ urls, key }: Fleet, era: (typeof clientEras)[number]): Promise<void> {
  const agent = await connectEra(era, { urls, key });
  try {
    const word = era.replaceAll(/\W/g, '');
    await agent.call('remember', {
      content: `The ${word} okapi sleeps at noon.`,
    });
    for (let i = 0; i < urls.length; i++) {
      const found = await agent.call<{ results: { content: string }[] }>('search', {
        query: `${word} okapi sleeps`,
      });
      demand(
        found.results.some(({ content }) => content.includes(word)),
        `an agent of ${era} does not find what it stored`,
        found,
      );
    }
  } finally {
    await agent.close();
  }
}
