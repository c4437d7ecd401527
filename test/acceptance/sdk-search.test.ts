import { type Memnexus, searchResponse } from '@memnexus-ai/typescript-sdk';
import { beforeAll, describe, expect, it } from 'vitest';
import { awaitSteps } from '../support/await-steps.ts';
import { client } from '../support/http-client.ts';
import { sdkOf } from '../support/sdk.ts';
import { engines } from '../support/server.ts';
import { useServer } from '../support/use-server.ts';

type GetOptions = NonNullable<Parameters<Memnexus['memories']['searchMemoriesGet']>[0]>;
type PostBody = Parameters<Memnexus['memories']['searchMemories']>[0];
/** What both ways take by the same name and form. */
type Shared = Omit<GetOptions, 'q' | 'topics' | 'excludeTopics' | 'embeddingProvider' | 'scope'> &
  Omit<PostBody, 'query' | 'topics'>;
type ApiResponse = NonNullable<Awaited<ReturnType<Memnexus['memories']['searchMemories']>>['data']>;

const orchard = 'The violet zeppelin landed near the orchard.';
const mast = 'A zeppelin needs a mooring mast.';
const puppies = 'We adopted two puppies from the shelter.';
const permit = 'The permit of the zeppelin hangs in the hangar.';
const red = 'The zeppelin is painted red.';
const blue = 'The zeppelin is painted blue.';
const zeppelins = [orchard, mast, blue];

describe.each(engines)('searches by the public TypeScript SDK on %s', (engine) => {
  const server = useServer(engine);
  let sdk: Memnexus;
  let harbour: string;

  beforeAll(async () => {
    sdk = sdkOf(server);
    const ids = new Map<string, string>();
    const write = async (content: string, more: object = {}) => {
      const reply = await sdk.memories.createMemory({ content, conversationId: 'NEW', ...more });
      const made = reply.data?.data;
      if (!made) throw new Error(`"${content}" was not stored`);
      ids.set(content, made.id);
      return made.id;
    };
    await write(orchard, {
      topics: ['aviation'],
      memoryType: 'semantic',
      eventTime: '2024-03-01T00:00:00Z',
      codeContext: { product: 'hangar' },
      taskId: 'task-1',
      outcome: 'resolved',
    });
    const made = await sdk.conversations.createConversation({ title: 'Harbour', summary: 'Masts' });
    harbour = made.data?.data?.id ?? '';
    await write(mast, {
      conversationId: harbour,
      topics: ['aviation', 'masts'],
      memoryType: 'procedural',
      eventTime: '2024-06-01T00:00:00Z',
      taskId: 'task-2',
      outcome: 'unresolved',
    });
    await write(puppies, { topics: ['pets'], eventTime: '2025-01-10T00:00:00Z' });
    await write(permit, { validFrom: '2020-01-01T00:00:00Z', validTo: '2021-01-01T00:00:00Z' });
    await write(red);
    await write(blue);
    await sdk.memories.createMemoryRelationship(ids.get(blue) ?? '', {
      targetMemoryId: ids.get(red) ?? '',
      type: 'SUPERSEDES',
    });
    // Two responses are compared: nothing must be derived between them.
    await awaitSteps(client(server.url, server.key), 20);
  });

  /** By GET and by POST; both answers are accepted by the SDK's schema and alike. */
  async function search(query: string, shared: Shared = {}, lists: Lists = {}): Promise<ApiResponse> {
    const { topics, excludeTopics, ...byGetAlone } = lists;
    const joined = { topics: topics?.join(','), excludeTopics: excludeTopics?.join(',') };
    const byGet = await sdk.memories.searchMemoriesGet({ q: query, ...shared, ...joined, ...byGetAlone });
    const body: PostBody & Lists = { query, ...shared, ...lists };
    const byPost = await sdk.memories.searchMemories(body);
    for (const reply of [byGet, byPost]) {
      expect(reply.metadata.status).toBe(200);
      expect(searchResponse.safeParse(reply.data).error?.issues, JSON.stringify(reply.data)).toBeUndefined();
      expect(reply.data?.meta).not.toHaveProperty('degraded');
    }
    expect(byGet.data?.data).toEqual(byPost.data?.data);
    expect(byGet.data?.facets).toEqual(byPost.data?.facets);
    if (!byPost.data) throw new Error('no answer');
    return byPost.data;
  }

  interface Lists {
    topics?: string[];
    excludeTopics?: string[];
    scope?: string;
    embeddingProvider?: GetOptions['embeddingProvider'];
  }

  const contents = ({ data }: ApiResponse) => data.map(({ content }) => content).toSorted();
  const found = async (shared: Shared, lists?: Lists) =>
    contents(await search('zeppelin', { searchMethod: 'keyword', ...shared }, lists));
  const sorted = (...texts: string[]) => texts.toSorted();

  it('searches by the SDK find by every method, each saying how', async () => {
    const keyword = await search('zeppelin', { searchMethod: 'keyword' });
    expect(contents(keyword)).toEqual(sorted(...zeppelins));
    expect(keyword.meta).toMatchObject({ searchMethod: 'keyword', total: 3, page: 1 });
    const semantic = await search('which pets do we own', { searchMethod: 'semantic' });
    expect(semantic.data[0]).toMatchObject({ content: puppies, vectorRank: 1 });
    expect(semantic.meta.searchMethod).toBe('semantic');
    const hybrid = await search('which pets do we own');
    expect(hybrid.data[0]).toMatchObject({ content: puppies, vectorRank: 1 });
    expect(hybrid.data[0].hybridScore).toBeGreaterThan(0);
    expect(hybrid.meta.searchMethod).toBe('hybrid');
  });

  it('searches by the SDK weigh and cut as asked', async () => {
    const words = await search('zeppelin dogs', { vectorWeight: 0, fulltextWeight: 1 });
    expect(contents(words)).toEqual(sorted(...zeppelins));
    const models = await search('which pets do we own', { fulltextWeight: 0, vectorWeight: 1 });
    expect(models.data[0].content).toBe(puppies);
    const strict = await search('which pets do we own', { searchMethod: 'semantic', threshold: 1 });
    expect(strict.data).toEqual([]);
    const all = await search('which pets do we own', { searchMethod: 'semantic', threshold: 0 });
    expect(contents(all)).toEqual(sorted(...zeppelins, puppies));
  });

  it.each(['unified', 'content'] as const)('searches by the SDK answer memories in mode %s', async (mode) => {
    expect(await found({ mode })).toEqual(sorted(...zeppelins));
  });

  it('searches by the SDK filter by topics, type, conversation, task, outcome and scope', async () => {
    expect(await found({}, { topics: ['masts', 'pets'] })).toEqual([mast]);
    expect(await found({}, { topics: ['aviation'], excludeTopics: ['masts'] })).toEqual([orchard]);
    expect(await found({ memoryType: 'semantic' })).toEqual([orchard]);
    expect(await found({ conversationId: harbour })).toEqual([mast]);
    expect(await found({ taskId: 'task-2' })).toEqual([mast]);
    expect(await found({ outcomeFilter: 'resolved' })).toEqual([orchard]);
    expect(await found({ outcomeFilter: 'unresolved' })).toEqual([mast]);
    expect(await found({ outcomeFilter: 'any' })).toEqual(sorted(...zeppelins));
    expect(await found({}, { scope: 'product:hangar' })).toEqual([orchard]);
  });

  it('searches by the SDK go by the times asked about', async () => {
    expect(await found({ eventTimeFrom: '2024-05-01', eventTimeTo: '2024-12-31' })).toEqual([mast]);
    expect(await found({ ingestionTimeFrom: '2020-01-01' })).toEqual(sorted(...zeppelins));
    expect(await found({ ingestionTimeTo: '2020-01-01' })).toEqual([]);
    expect(await found({ asOfTime: '2020-01-01T00:00:00Z' })).toEqual([]);
    expect(await found({ asOfTime: '2999-01-01T00:00:00Z' })).toEqual(sorted(...zeppelins));
    expect(await found({ validAtTime: '2020-06-01T00:00:00Z' })).toContain(permit);
    expect(await found({ includeExpired: true })).toEqual(sorted(...zeppelins, permit));
    expect(await found({ includeSuperseded: true })).toEqual(sorted(...zeppelins, red));
    expect(await found({ temporalMode: 'current' })).toEqual(sorted(...zeppelins));
    expect(await found({ temporalMode: 'historical' })).toEqual(sorted(...zeppelins, permit, red));
    const { data } = await search('painted', { searchMethod: 'keyword', temporalMode: 'evolution' });
    // One before and one after it was superseded.
    expect(data.map(({ content }) => content)).toEqual([red, blue, red]);
  });

  it('searches by the SDK order and page', async () => {
    const byEvent = { searchMethod: 'keyword', sortBy: 'eventTime' } as const;
    const first = await search('zeppelin orchard mast', { ...byEvent, order: 'asc', limit: 1 }, aviation);
    const second = await search(
      'zeppelin orchard mast',
      { ...byEvent, order: 'asc', limit: 1, offset: 1 },
      aviation,
    );
    expect([first, second].flatMap(contents)).toEqual([orchard, mast]);
    expect(first.meta.total).toBe(2);
    const newest = await search('zeppelin orchard mast', { ...byEvent, order: 'desc' }, aviation);
    expect(newest.data.map(({ content }) => content)).toEqual([mast, orchard]);
    for (const sortBy of ['relevance', 'createdAt', 'updatedAt'] as const)
      expect(await found({ sortBy })).toEqual(sorted(...zeppelins));
  });

  it('searches by the SDK return what is asked for in addition', async () => {
    const add = { explain: true, includeTopics: true, includeEntities: true, includeFacts: true };
    const { data, facets } = await search('mooring', { ...add, includeClaims: true, includeFacets: true });
    expect(data[0]).toMatchObject({
      content: mast,
      topics: ['aviation', 'masts'],
      explanation: { matchedTerms: ['mooring'] },
    });
    expect(data[0].explanation?.matchReason).not.toBe('');
    expect(facets?.memoryType).toContainEqual({ value: 'procedural', count: 1 });
    const plain = await search('mooring');
    for (const field of ['explanation', 'topics']) expect(plain.data[0]).not.toHaveProperty(field);
    expect(plain.facets).toBeUndefined();
  });

  it('searches by the SDK take the parameters of arms and servers that are not there', async () => {
    const arms = { expandEntities: true, expandTopics: true, expandFacts: true };
    const weights = { entityWeight: 0.1, topicWeight: 0.5, factWeight: 0.6 };
    const others = { questionWeight: 0.2, claimsWeight: 0.5, includeClaims: false, entityTypes: ['PERSON'] };
    expect(await found({ ...arms, ...weights, questionWeight: 0.2, claimsWeight: 0.5 })).toEqual(
      sorted(...zeppelins),
    );
    const body = { query: 'zeppelin', searchMethod: 'keyword', ...arms, ...weights, ...others } as const;
    const serving = { servingFormat: 'raw', defensiveServing: true, assistantClaimsServing: true } as const;
    const reply = await sdk.memories.searchMemories({ ...body, ...serving });
    expect(reply.data && contents(reply.data)).toEqual(sorted(...zeppelins));
    expect(await found({}, { embeddingProvider: 'ollama' })).toEqual(sorted(...zeppelins));
  });

  it.each([
    { vectorWeight: 1.1 },
    { fulltextWeight: -0.1 },
    { threshold: 2 },
    { vectorWeight: 0, fulltextWeight: 0 },
    { limit: 0 },
    { offset: -1 },
    { searchMethod: 'psychic' },
    { mode: 'dream' },
    { temporalMode: 'sometimes' },
    { sortBy: 'colour' },
  ])('searches by the SDK are refused with %o, naming it, by GET and POST', async (wrong) => {
    const named = new RegExp(Object.keys(wrong)[0]);
    for (const send of [
      fetch(`${server.url}/api/memories/search?${new URLSearchParams({ q: 'x', ...texts(wrong) })}`, {
        headers: { authorization: `Bearer ${server.key}` },
      }),
      fetch(`${server.url}/api/memories/search`, {
        method: 'POST',
        headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query: 'x', ...wrong }),
      }),
    ]) {
      const response = await send;
      const body = (await response.json()) as { code: string; error: string };
      expect([response.status, body.code]).toEqual([422, 'INPUT_INVALID']);
      expect(body.error).toMatch(named);
    }
  });

  it.each(['the of and', '?!…', '🙂🙂', '"', 'x'.repeat(2000)])(
    'searches by the SDK answer %s',
    async (query) => {
      for (const searchMethod of ['keyword', 'semantic', 'hybrid'] as const)
        expect((await search(query, { searchMethod })).meta.searchMethod).toBe(searchMethod);
    },
  );

  it('searches by the SDK answer 32,768 characters by POST, and refuse one more', async () => {
    const words = 'zeppelin mooring '.repeat(2000).slice(0, 32_768);
    const reply = await sdk.memories.searchMemories({ query: words });
    expect(reply.data && contents(reply.data)).toContain(mast);
    // Sent without the SDK, which would ask again and again.
    const refused = await fetch(`${server.url}/api/memories/search`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: `${words}x` }),
    });
    expect(refused.status).toBe(422);
  });
});

const aviation = { topics: ['aviation'] };

function texts(parameters: object): Record<string, string> {
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, String(value)]));
}
