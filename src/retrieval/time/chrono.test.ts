import { en } from 'chrono-node';
import { describe, expect, it } from 'vitest';
import { reader } from './chrono.ts';

describe('the patterns that read dates', () => {
  const sources = (parsers: typeof en.casual.parsers) =>
    parsers.map((parser) => {
      // No pattern of these parsers looks at the text.
      const context = { text: '', option: {} } as Parameters<typeof parser.pattern>[0];
      return parser.pattern(context).source;
    });

  it('the patterns that read dates repeat nothing ten times, though those of chrono-node do', () => {
    const often = /\{0,(?:[6-9]|\d\d+)\}/;
    expect(sources(en.casual.parsers).filter((source) => often.test(source)).length).toBeGreaterThan(0);
    expect(sources(reader.parsers).filter((source) => often.test(source))).toEqual([]);
  });
});
