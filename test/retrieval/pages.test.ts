import { beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import type { Client } from '../support/http-client.ts';
import { randomFrom } from '../support/random.ts';
import { useApp } from '../support/use-app.ts';

interface Hit {
  conversationId: string;
  id: string;
  topics?: string[];
  memoryType: string;
  effectiveState: string;
}
interface ApiResponse {
  data: Hit[];
  meta: { total: number; searchTime: number };
  facets?: Record<'topics' | 'memoryType' | 'effectiveState', { value: string; count: number }[]>;
}

const words =
  'river stone lamp night train coffee garden window letter music winter market doctor bicycle mountain'.split(
    ' ',
  );
const topics = ['home', 'work', 'travel', 'health'];
const memoryTypes = ['episodic', 'semantic', 'procedural'] as const;
const memories = 240;
const queries = Number(process.env.MEMORYD_TEST_QUERIES ?? 200);
const pageSize = 7;

describe.each(engines)('pages of a search on %s', (engine) => {
  const app = useApp(engine);
  let http: Client;
  const seeded = randomFrom(4711);
  const random = () => seeded.float();
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)];
  const text = (count: number) => Array.from({ length: count }, () => pick(words)).join(' ');

  beforeAll(async () => {
    http = await app.newClient();
    let conversationId = 'NEW';
    for (let i = 0; i < memories; i++) {
      const body = {
        conversationId,
        content: text(4 + Math.floor(random() * 8)),
        memoryType: pick(memoryTypes),
        topics: random() < 0.5 ? [pick(topics)] : [],
      };
      const response = await http.post<{ meta: { conversationId: string } }>('/api/memories', body);
      conversationId = i % 9 === 8 ? 'NEW' : response.body.meta.conversationId;
    }
  }, 120_000);

  const search = async (body: Record<string, unknown>): Promise<ApiResponse> =>
    (await http.post<ApiResponse>('/api/memories/search', body)).body;
  const ids = ({ data }: ApiResponse) => data.map(({ id }) => id);
  const requests = () => {
    const body: Record<string, unknown> = { query: `${text(1 + Math.floor(random() * 3))}.` };
    if (random() < 0.3) body.context = false;
    if (random() < 0.3) body.memoryType = pick(memoryTypes);
    if (random() < 0.2) body.topics = [pick(topics)];
    if (random() < 0.2) body.sortBy = pick(['createdAt', 'updatedAt', 'eventTime']);
    if (random() < 0.2) body.order = 'asc';
    return body;
  };

  it('one after another are one page of the same size, and every request gives the same again', async () => {
    for (let i = 0; i < queries; i++) {
      const body = requests();
      const whole = ids(await search({ ...body, limit: pageSize * 5 }));
      const pages: string[] = [];
      for (let page = 0; page < 5; page++)
        pages.push(...ids(await search({ ...body, limit: pageSize, offset: page * pageSize })));
      expect(pages, JSON.stringify(body)).toEqual(whole);
    }
  }, 300_000);

  it('pages of a search are the same bytes by GET and by POST, but for the time taken', async () => {
    for (let i = 0; i < queries; i++) {
      const { topics: expected, ...body } = requests();
      const list = expected === undefined ? {} : { topics: expected };
      const post = await http.post('/api/memories/search', {
        ...body,
        ...list,
        explain: true,
        includeFacets: true,
      });
      const query = new URLSearchParams({ explain: 'true', includeFacets: 'true' });
      for (const [key, value] of Object.entries({ ...body, ...list }))
        query.set(key === 'query' ? 'q' : key, String(value));
      const get = await http.get(`/api/memories/search?${query}`);
      const timeless = (answer: string) => answer.replace(/"searchTime":[\d.]+/, '');
      expect(timeless(get.text), JSON.stringify(body)).toBe(timeless(post.text));
    }
  }, 300_000);

  it('pages of a search have facets that equal a count of all matches', async () => {
    for (let i = 0; i < queries; i++) {
      const body = { ...requests(), includeFacets: true, includeTopics: true, limit: 1000 };
      const { data, facets, meta } = await search(body);
      expect(data).toHaveLength(meta.total);
      const count = (values: readonly string[]) => {
        const counts = new Map<string, number>();
        for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
        return [...counts]
          .map(([value, n]) => ({ value, count: n }))
          .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
      };
      expect(facets, JSON.stringify(body)).toMatchObject({
        topics: count(data.flatMap((hit) => hit.topics ?? [])),
        memoryType: count(data.map((hit) => hit.memoryType)),
        effectiveState: count(data.map((hit) => hit.effectiveState)),
        conversationId: count(data.map((hit) => hit.conversationId)).slice(0, 20),
      });
    }
  }, 300_000);
});
