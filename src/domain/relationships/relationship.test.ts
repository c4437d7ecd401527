import { describe, expect, it } from 'vitest';
import { effectiveStateOf } from './relationship.ts';

describe('effectiveStateOf', () => {
  it.each([
    [[], 'current'],
    [['FOLLOWS', 'RESOLVES', 'REFERENCES'], 'current'],
    [['DUPLICATES', 'FOLLOWS'], 'duplicate'],
    [['DUPLICATES', 'CONTRADICTS'], 'contradicted'],
    [['CONTRADICTS', 'DUPLICATES', 'SUPERSEDES'], 'superseded'],
  ] as const)('the effective state of a memory with incoming edges %j is %s', (incoming, state) => {
    expect(effectiveStateOf(incoming)).toBe(state);
  });
});
