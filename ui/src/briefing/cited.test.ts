import { describe, expect, it } from 'vitest';
import { citedParts, resultIn } from './cited.ts';

describe('the parts of a digest', () => {
  it('are texts and sources, and a number without a source is text', () => {
    expect(citedParts('- The tide is at six. [1] [2]\n- see [9] and [x]', 2)).toEqual([
      { text: '- The tide is at six. ' },
      { source: 1 },
      { text: ' ' },
      { source: 2 },
      { text: '\n- see [9] and [x]' },
    ]);
    expect(citedParts('', 3)).toEqual([]);
  });
});

describe('the result of a stream', () => {
  it('is found behind comments, and a failure is thrown in the words of the service', () => {
    const events = ': heartbeat\n\nevent: result\ndata: {"digest":"x"}\n\nevent: done\ndata: {}\n\n';
    expect(resultIn(events)).toEqual({ digest: 'x' });
    expect(() => resultIn('event: error\ndata: {"error":"Too busy."}\n\n')).toThrow('Too busy.');
    expect(() => resultIn(': heartbeat\n\n')).toThrow('without a result');
  });
});
