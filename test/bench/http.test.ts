import { mkdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openConnection } from '../../bench/http/connection.ts';
import { generateCorpus } from '../../bench/http/corpus.ts';
import { FloorStore } from '../../bench/http/floor-store.ts';
import { measureSearches } from '../../bench/http/measure-search.ts';
import { median, quantile } from '../../bench/http/quantiles.ts';
import { atLeast, atMost } from '../../bench/http/verdict.ts';
import { newTempFolder } from '../support/temp-folder.ts';

describe('quantiles', () => {
  it('quantiles', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => ((index * 37) % 100) + 1);
    expect(quantile(hundred, 0.5)).toBe(50);
    expect(quantile(hundred, 0.95)).toBe(95);
    expect(median([9, 1, 5])).toBe(5);
    expect(median([4])).toBe(4);
    expect(() => median([])).toThrow('hollow');
  });
});

describe('a verdict', () => {
  const comparison = { what: 'w', unit: 'ms' as const, against: 'floor' };

  it('a verdict compares the ratio with its target, the bound included', () => {
    expect(atMost(2, { ...comparison, ours: 4, base: 2 })).toMatchObject({ ratio: 2, reached: true });
    expect(atMost(2, { ...comparison, ours: 5, base: 2 })).toMatchObject({ ratio: 2.5, reached: false });
    expect(atLeast(0.5, { ...comparison, ours: 1, base: 2 })).toMatchObject({ ratio: 0.5, reached: true });
    expect(atLeast(0.5, { ...comparison, ours: 1, base: 4 })).toMatchObject({ ratio: 0.25, reached: false });
  });

  it('a verdict is refused when nothing was measured', () => {
    expect(() => atLeast(0.5, { ...comparison, ours: 0, base: 2 })).toThrow('hollow');
    expect(() => atMost(2, { ...comparison, ours: Number.NaN, base: 2 })).toThrow('hollow');
  });
});

describe('the generated corpus', () => {
  const corpus = generateCorpus(600, 1);

  it('the generated corpus is the same for equal seeds and another for others', () => {
    expect(generateCorpus(600, 1).memories).toEqual(corpus.memories);
    expect(generateCorpus(600, 2).memories[0]?.content).not.toBe(corpus.memories[0]?.content);
  });

  it('the generated corpus has 8 to 30 words a memory, 12 memories a conversation, and words of very different frequency', () => {
    const counts = new Map<string, number>();
    for (const { content } of corpus.memories) {
      const words = content.slice(0, -1).split(' ');
      expect(words.length).toBeGreaterThanOrEqual(8);
      expect(words.length).toBeLessThanOrEqual(30);
      for (const word of new Set(words)) counts.set(word, (counts.get(word) ?? 0) + 1);
    }
    expect(corpus.memories.filter(({ conversation }) => conversation === 3)).toHaveLength(12);
    const commonest = Math.max(...counts.values()) / corpus.memories.length;
    expect(commonest).toBeGreaterThan(0.1);
    expect(commonest).toBeLessThan(0.4);
    expect([...counts.values()].filter((count) => count === 1).length).toBeGreaterThan(500);
  });

  it('the generated corpus asks for at most 7 words that occur together in one memory', () => {
    for (const query of corpus.queries(50, 3)) {
      const words = query.split(' ');
      expect(words.length).toBeLessThanOrEqual(7);
      const holds = corpus.memories.some(({ content }) => {
        const own = new Set(content.slice(0, -1).split(' '));
        return words.every((word) => own.has(word));
      });
      expect(holds, query).toBe(true);
    }
  });
});

describe('the floor', () => {
  it('the floor keeps rows over a restart and finds them by stemmed words, best first, at most 20', async () => {
    const folder = newTempFolder('floor-test');
    try {
      mkdirSync(folder.path, { recursive: true });
      const path = join(folder.path, 'a.db');
      const store = new FloorStore(path);
      const texts = ['the kettle boils', 'kettles and kettle, a kettle', 'nothing here'];
      await Promise.all(
        texts.map((content, id) => store.create(`id-${id}`, { content, conversationId: 'NEW' })),
      );
      store.createAll(Array.from({ length: 30 }, () => ({ content: 'a spoon', conversationId: 'c' })));
      store.optimize();
      store.close();
      const again = new FloorStore(path);
      const found = again.search('kettle "quoted') as { id: string }[];
      expect(found.map(({ id }) => id)).toEqual(['id-1', 'id-0']);
      expect(again.search('spoon')).toHaveLength(20);
      again.close();
    } finally {
      folder.remove();
    }
  });
});

describe('the client that measures', () => {
  let server: Server;
  const listen = async (answer: (body: string) => string[]) => {
    server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      const chunks = answer(body);
      response.writeHead(200, { 'content-length': Buffer.byteLength(chunks.join('')) });
      for (const chunk of chunks) response.write(chunk);
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  };
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  it('the client that measures keeps answers apart on one connection, also large ones in many pieces', async () => {
    const url = await listen((body) => [body, 'é'.repeat(200_000), body]);
    const connection = await openConnection(url);
    for (const number of [1, 2, 3]) {
      const answer = await connection.call({ method: 'POST', path: '/', body: { number } });
      expect(answer.status).toBe(200);
      expect(answer.text).toBe(`{"number":${number}}${'é'.repeat(200_000)}{"number":${number}}`);
      expect(answer.ms).toBeGreaterThan(0);
    }
    connection.close();
  });

  it('the client that measures fails when the server goes away', async () => {
    const url = await listen(() => ['x']);
    const connection = await openConnection(url);
    await connection.call({ method: 'GET', path: '/' });
    server.closeAllConnections();
    await expect(connection.call({ method: 'GET', path: '/' })).rejects.toThrow();
  });

  it('the client that measures asks every way the same queries and refuses a way that finds nothing', async () => {
    const asked: Record<string, string[]> = { a: [], b: [] };
    const url = await listen((body) => {
      const { query, way } = JSON.parse(body) as { query: string; way: string };
      asked[way]?.push(query);
      return [JSON.stringify({ data: way === 'empty' ? [] : [1, 2] })];
    });
    const plan = {
      rounds: 2,
      queriesPerRound: 15,
      warmUp: 25,
      queries: Array.from({ length: 55 }, (_, i) => `query ${i}`),
    };
    const way = (name: string) => ({ name, url, path: '/', parameters: { way: name } });
    const times = await measureSearches([way('a'), way('b')], plan);
    expect(asked.a).toEqual(plan.queries);
    expect(asked.b).toEqual(plan.queries);
    expect(times.a?.results).toBeCloseTo(2, 9);
    await expect(measureSearches([way('empty')], plan)).rejects.toThrow('hollow: empty found nothing');
  });
});
