import { describe, expect, it } from 'vitest';
import { isTooDeep, jsonDepthMax, parseJson } from './json.ts';

const objects = (levels: number) => '{"a":'.repeat(levels) + 1 + '}'.repeat(levels);
const lists = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

describe('the depth of JSON from outside', () => {
  it('the depth of JSON from outside counts objects and lists, and no brackets in strings', () => {
    for (const of of [objects, lists]) {
      expect([isTooDeep(of(jsonDepthMax)), isTooDeep(of(jsonDepthMax + 1))]).toEqual([false, true]);
    }
    expect(isTooDeep('[]'.repeat(500))).toBe(false);
    for (const text of ['[', '{', '\\"[', '"[', '\\', '\\\\"['])
      expect(isTooDeep(JSON.stringify({ text: text.repeat(500), more: [text] }))).toBe(false);
    expect(isTooDeep(`{"text":"\\\\","deep":${lists(64)}}`)).toBe(true);
    expect(isTooDeep('['.repeat(1_000_000))).toBe(true);
  });

  it('the depth of JSON from outside is bounded before it is parsed', () => {
    expect(parseJson(objects(3))).toEqual({ a: { a: { a: 1 } } });
    expect(() => parseJson(objects(100_000))).toThrow('it must not be nested deeper than 64 levels');
    expect(() => parseJson('{')).toThrow(SyntaxError);
  });
});
