import { expect, it } from 'vitest';
import { namesInQuery } from './names-in-query.ts';

it("names of a query are its runs of words, without accents, possessives and the sentence's marks", () => {
  const { entityKeys } = namesInQuery('Did “José Ángel” see Anna’s New  York?');
  expect(entityKeys).toEqual(expect.arrayContaining(['jose angel', 'anna', 'new york', 'did']));
});

it('names of a query keep the marks that belong to paths, packages and versions', () => {
  const { entityKeys } = namesInQuery('is src/main.ts of @scope/pkg v1.2, or .env?');
  expect(entityKeys).toEqual(expect.arrayContaining(['src/main.ts', '@scope/pkg', 'v1.2', '.env']));
});

it('topics of a query are its words joined by spaces or hyphens', () => {
  const { topicKeys } = namesInQuery('Rate limiting in CI, on-call');
  const names = ['rate limiting', 'rate-limiting', 'ci', 'on-call', 'on call'];
  expect(topicKeys).toEqual(expect.arrayContaining(names));
});

it('names of a query are bounded in number and length', () => {
  const long = namesInQuery(Array.from({ length: 5000 }, (_, i) => `w-${i}`).join(' '));
  expect(long.entityKeys.length).toBeLessThanOrEqual(384);
  expect(long.topicKeys.length).toBeLessThanOrEqual(1000);
  expect(namesInQuery(' ?! … ')).toEqual({ entityKeys: [], topicKeys: [] });
});
