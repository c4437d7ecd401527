import { parseJson } from '../../lib/json-depth.ts';
import { RequestError, wrongAnswer } from './request-error.ts';

interface Item {
  readonly embedding?: unknown;
  readonly index?: unknown;
}

function itemsOf(body: string): Item[] {
  let answer: unknown;
  try {
    answer = parseJson(body);
  } catch {
    throw new RequestError('the answer of the server is no JSON', {
      isLasting: false,
      isRepeatable: true,
      isServerFault: true,
    });
  }
  const data = (answer as { data?: unknown } | null)?.data;
  if (!Array.isArray(data)) throw wrongAnswer('the answer of the server holds no `data`');
  return data.map((item) => (typeof item === 'object' && item !== null ? item : {}));
}

/** In the order of the texts: by `index` where the server gives it. */
function inOrder(items: readonly Item[], count: number): readonly Item[] {
  if (items.length !== count) throw wrongAnswer(`the server gave ${items.length} vectors for ${count} texts`);
  if (items.every(({ index }) => index === undefined)) return items;
  const byIndex = new Map(items.map((item) => [item.index, item]));
  // Each of the indexes there are is asked for: one out of range makes another one missing.
  const ordered = Array.from({ length: count }, (_, index) => byIndex.get(index));
  return ordered.map((item) => {
    if (!item) throw wrongAnswer('the server does not say which vector belongs to which text');
    return item;
  });
}

/**
 * Unit vectors of an answer to `count` texts; the zero vector stays.
 * @throws RequestError where it does not hold exactly what was asked for
 */
export function readVectors(body: string, count: number, dimension: number): Float32Array[] {
  return inOrder(itemsOf(body), count).map(({ embedding }) => {
    if (!Array.isArray(embedding)) throw wrongAnswer('the server gave something else than lists of numbers');
    if (embedding.length !== dimension)
      throw wrongAnswer(`the server gave vectors of ${embedding.length} numbers instead of ${dimension}`);
    return unitVector(embedding);
  });
}

function unitVector(numbers: readonly unknown[]): Float32Array {
  let square = 0;
  for (const number of numbers) square += typeof number === 'number' ? number * number : Number.NaN;
  if (!Number.isFinite(square)) {
    // Models of half precision give such vectors for some texts, and give them again.
    throw new RequestError('the server gave a vector that does not consist of finite numbers', {
      isLasting: true,
      isRepeatable: false,
      isServerFault: false,
    });
  }
  const scale = square === 0 ? 0 : 1 / Math.sqrt(square);
  return Float32Array.from(numbers, (number) => Number(number) * scale);
}
