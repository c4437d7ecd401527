import { describe, expect, it } from 'vitest';
import { budgetIn, kindIn, requestOf } from './requests.ts';

describe('what an address of the briefing asks', () => {
  it('is nothing without words, and a budget stays within what the service takes', () => {
    expect(requestOf({}, 'digest')).toBeUndefined();
    expect(requestOf({ q: '  ' }, 'context')).toBeUndefined();
    expect(requestOf({}, 'instructions')).toBeUndefined();
    expect(budgetIn({ budget: '7' }, 'digest')).toBe(50);
    expect(budgetIn({ budget: '99999' }, 'instructions')).toBe(2000);
    expect(budgetIn({ budget: 'x' }, 'context')).toBe(1200);
    expect(kindIn({ kind: 'other' })).toBe('digest');
  });

  it('is a request of each kind, with files one a line', () => {
    expect(requestOf({ q: 'tides', format: 'timeline' }, 'digest')?.body).toEqual({
      query: 'tides',
      tokenBudget: 800,
      format: 'timeline',
    });
    expect(requestOf({ q: 'retry', files: 'a.ts\n\n b.ts' }, 'context')?.body).toEqual({
      context: 'retry',
      files: ['a.ts', 'b.ts'],
      tokenBudget: 1200,
    });
    expect(requestOf({ files: 'a.ts' }, 'instructions')?.body).toEqual({ files: ['a.ts'], tokenBudget: 200 });
  });
});
