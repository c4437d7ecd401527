import { expect, it } from 'vitest';
import { FormerServers, serverEmbedder } from '../../src/embedding/openai/server-models.ts';
import { startEmbeddingServer } from '../support/embedding-server.ts';
import { testConfig } from '../support/test-config.ts';

const settingsFor = (url: string, more: Record<string, string> = {}) =>
  testConfig({
    MEMORYD_EMBEDDER: 'openai',
    MEMORYD_EMBEDDER_URL: url,
    MEMORYD_EMBEDDER_MODEL: 'stand-in',
    MEMORYD_EMBEDDER_DIMENSIONS: '16',
    ...more,
  });

it('a model is asked as it was asked when its space was made', async () => {
  const server = await startEmbeddingServer({ dimension: 16 });
  try {
    const before = serverEmbedder(
      settingsFor(server.url, {
        MEMORYD_EMBEDDER_QUERY_PREFIX: 'find: ',
        MEMORYD_EMBEDDER_DOCUMENT_PREFIX: 'keep: ',
        MEMORYD_EMBEDDER_SEND_DIMENSIONS: 'true',
        MEMORYD_EMBEDDER_INPUT_MAX: '100',
      }),
    );
    const former = new FormerServers(testConfig({}));
    const again = former.of(before);
    expect(again?.space).toEqual(before.space);
    expect(again?.longestInput).toBe(100);
    expect(former.of(before)).toBe(again);
    await again?.embed(['tea'], 'query');
    await again?.embed(['x'.repeat(200)], 'document');
    expect(server.requests.map(({ input, dimensions }) => [input[0], dimensions])).toEqual([
      ['find: tea', 16],
      [`keep: ${'x'.repeat(100)}`, 16],
    ]);
    former.retain([before]);
    expect(former.of(before)).toBe(again);
    expect(former.of({ space: before.space, source: undefined })).toBeUndefined();
    expect(former.of(before)).toBe(again);
    former.retain([]);
    await expect(again?.embed(['milk'], 'query')).rejects.toThrow();
    expect(server.requests.length).toBe(2);
    before.close();
  } finally {
    await server.close();
  }
});

it.each([
  ['nothing', undefined],
  ['no JSON', '{'],
  ['another shape', '{"url":"http://127.0.0.1/v1"}'],
  ['no URL', '{"url":"v1","sendsDimension":false,"prefixes":{"query":"","document":""},"longestInput":8000}'],
  [
    'another version',
    '{"url":"http://127.0.0.1:1/v1/embeddings","sendsDimension":false,"prefixes":{"query":"","document":"x"},"longestInput":7}',
  ],
])('a model whose space says %s of it is not known', (_, source) => {
  const { space } = serverEmbedder(settingsFor('http://127.0.0.1:1/v1'));
  expect(new FormerServers(testConfig({})).of({ space, source })).toBeUndefined();
});
