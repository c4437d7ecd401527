import { de, en, es, fr } from 'chrono-node';
import { describe, expect, it } from 'vitest';
import { readers } from './chrono.ts';

describe('the patterns that read dates', () => {
  const sources = (parsers: typeof en.casual.parsers) =>
    parsers.map((parser) => {
      // No pattern of these parsers looks at the text.
      const context = { text: '', option: {} } as Parameters<typeof parser.pattern>[0];
      return parser.pattern(context).source;
    });

  it.each([
    ['en', en],
    ['de', de],
    ['fr', fr],
    ['es', es],
  ] as const)(
    'the patterns that read dates repeat nothing ten times, though those of chrono-node do: %s',
    (name, of) => {
      const often = /\{0,(?:[6-9]|\d\d+)\}/;
      expect(sources(of.casual.parsers).filter((source) => often.test(source)).length).toBeGreaterThan(0);
      expect(sources(readers[name].parsers).filter((source) => often.test(source))).toEqual([]);
    },
  );
});
