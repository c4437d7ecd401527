import { describe, expect, it } from 'vitest';
import { assertName, checkedCodeContext, checkedFields, checkedTopics, toContent } from './memory-input.ts';

describe('content', () => {
  it('content has at most 50,000 UTF-16 units, and at least one', () => {
    expect(toContent({ content: '😀'.repeat(25_000) }).content).toHaveLength(50_000);
    expect(() => toContent({ content: `${'😀'.repeat(25_000)}x` })).toThrow(/^content must have 1 to 50000/);
    expect(() => toContent({ content: '' })).toThrow(/^content /);
  });

  it('content is episodic unless the user says so', () => {
    expect(toContent({ content: 'x' })).toMatchObject({ memoryType: 'episodic', memoryTypeUserSet: false });
    expect(toContent({ content: 'x', memoryType: 'episodic' }).memoryTypeUserSet).toBe(true);
  });

  it('a memory that is never valid is refused', () => {
    expect(() => toContent({ content: 'x', validFrom: 5, validTo: 5 })).toThrow(/^validTo must be later/);
    expect(toContent({ content: 'x', validFrom: 5, validTo: 6 })).toMatchObject({ validFrom: 5, validTo: 6 });
  });
});

describe('fields', () => {
  it('fields that are absent stay absent, and an empty context means none', () => {
    expect(checkedFields({})).toEqual({});
    expect(checkedFields({ context: '', outcome: null })).toEqual({ context: null, outcome: null });
  });

  it('a code context keeps only the fields that are known', () => {
    expect(checkedCodeContext({ product: 'p', extra: { a: 'b' }, other: 1 } as never)).toEqual({
      product: 'p',
      extra: { a: 'b' },
    });
    expect(checkedCodeContext({})).toBeNull();
    expect(() => checkedCodeContext({ repo: 'x'.repeat(201) })).toThrow(/^codeContext\.repo /);
  });

  it('topics of a memory are at most 50 of 100 characters, each once', () => {
    expect(checkedTopics(['A', 'a ', ' ', 'b'])).toEqual(['A', 'b']);
    expect(() => checkedTopics(Array.from({ length: 51 }, (_, i) => `t${i}`))).toThrow(/^topics must have/);
    expect(() => checkedTopics(['x'.repeat(101)])).toThrow(/^topics items must have/);
  });
});

describe('a name', () => {
  it.each(['ab', 'a-b', '0'.repeat(64), 'a--b'])('a name may be %s', (name) => {
    expect(() => assertName(name)).not.toThrow();
  });

  it.each(['a', '-ab', 'ab-', 'Ab', 'a b', 'ä1', '0'.repeat(65), 'ab\n'])('a name may not be %j', (name) => {
    expect(() => assertName(name)).toThrow(/^name must be 2 to 64/);
  });
});
