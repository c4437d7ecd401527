import { describe, expect, it } from 'vitest';
import { elementsOf, type JsonElement } from './json-elements.ts';

async function* piecesOf(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const textOf = ({ bytes }: JsonElement) => bytes && Buffer.from(bytes).toString().trim();

async function elements(text: string, size = 7, bytesMax = 1000): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const element of elementsOf(piecesOf(text, size), bytesMax)) {
    const { member, number, fault } = element;
    found.push([member, number, fault ?? textOf(element)]);
  }
  return found;
}

describe('elements of JSON', () => {
  const texts = ['a, ] "b" \\', '\\\\', '"', '{"x":[1,2]}', '\\"', 'ж\u{1f373}', '', '[{,:'];

  it('elements of a list are the same for chunks of any size', async () => {
    const list = JSON.stringify(
      texts.map((content, i) => ({ content, [content]: [{ a: [content] }, i] })),
      null,
      1,
    );
    const whole = JSON.parse(list) as unknown[];
    for (const size of [1, 2, 3, 5, 64, 10_000]) {
      const found = (await elements(`\ufeff ${list}\n`, size)) as [undefined, number, string][];
      expect(found.map(([member, , text]) => [member, JSON.parse(text)])).toEqual(
        whole.map((value) => [undefined, value]),
      );
      expect(found.map(([, number]) => number)).toEqual(whole.map((_, i) => i + 1));
    }
  });

  it('elements of an object are those of its lists, and its other members', async () => {
    const text = JSON.stringify({
      a: 1,
      list: texts,
      none: [],
      o: { x: [1, { y: [2] }] },
      b: [[1], { c: [3] }],
    });
    for (const size of [1, 3, 1000])
      expect(await elements(text, size)).toEqual([
        ['a', 0, '1'],
        ...texts.map((value, i) => ['list', i + 1, JSON.stringify(value)]),
        ['o', 0, '{"x":[1,{"y":[2]}]}'],
        ['b', 1, '[1]'],
        ['b', 2, '{"c":[3]}'],
      ]);
  });

  it('elements name what is cut off, what follows, and what is too long', async () => {
    expect(await elements('[1, {"a": 2}, 3')).toEqual([
      [undefined, 1, '1'],
      [undefined, 2, '{"a": 2}'],
      [undefined, 3, 'listCut'],
    ]);
    expect(await elements('[1] [2]')).toEqual([
      [undefined, 1, '1'],
      [undefined, 2, 'afterList'],
    ]);
    expect(await elements('{"a": []}\n{"a": 1}')).toEqual([['a', 1, 'afterList']]);
    expect(await elements(`["${'x'.repeat(90)}", 2]`, 7, 50)).toEqual([
      [undefined, 1, undefined],
      [undefined, 2, '2'],
    ]);
    expect(await elements('[]')).toEqual([]);
    expect(await elements('[1,]')).toEqual([[undefined, 1, '1']]);
  });
});
