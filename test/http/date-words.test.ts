import { beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import type { Client } from '../support/http-client.ts';
import { useApp } from '../support/use-app.ts';

interface ApiResponse {
  data: { content: string; explanation: { matchReason: string; matchedTerms: string[] } }[];
}

describe.each(engines)('words of dates on %s', (engine) => {
  const app = useApp(engine);
  let http: Client;
  beforeAll(async () => {
    http = await app.newClient();
    for (const body of [
      { content: 'Buy milk and eggs', eventTime: '2026-05-14' },
      { content: 'Nobody may enter the cellar' },
      { content: 'A boat was painted', eventTime: '2026-03-01', topics: ['harbour'], name: 'dinghy' },
    ])
      expect((await http.post('/api/memories', { ...body, conversationId: 'NEW' })).status).toBe(201);
  });

  const search = async (query: string) => {
    const path = `/api/memories/search?searchMethod=keyword&explain=true&q=${encodeURIComponent(query)}`;
    return (await http.get<ApiResponse>(path)).body.data;
  };

  it.each([
    ['who may enter', ['Nobody may enter the cellar']],
    ['what may cause the crash?', ['Nobody may enter the cellar']],
    ['error 14 of the printer', []],
    ['second sun', []],
    ['shopping in May 2026', ['Buy milk and eggs']],
    ['shopping on the 14th.', ['Buy milk and eggs']],
    ['shopping 14 May', ['Buy milk and eggs']],
    ['the march through town', []],
    ['what was done last March', ['A boat was painted']],
    ['anything on sun', ['A boat was painted']],
  ])('words of dates find a date with "%s" only where the query means one', async (query, expected) => {
    const found = (await search(query)).map(({ content }) => content);
    expect(found.filter((content) => expected.includes(content)).toSorted()).toEqual(expected.toSorted());
    const dated = ['Buy milk and eggs', 'A boat was painted'];
    expect(found.filter((content) => dated.includes(content) && !expected.includes(content))).toEqual([]);
  });

  it('words of dates are named by the explanation, and so are those of topics and names', async () => {
    const termsOf = async (query: string) => (await search(query))[0]?.explanation.matchedTerms;
    expect(await termsOf('shopping on the 14th.')).toEqual(['14']);
    expect(await termsOf('harbours.')).toEqual(['harbour']);
    expect(await termsOf('the dinghy.')).toEqual(['dinghy']);
    const [hit] = await search('harbours.');
    expect(hit?.explanation.matchReason).toMatch(/^Holds "harbour"/);
  });
});
