import { expect, it } from 'vitest';
import { sourceFiles } from '../../../test/architecture/sources.ts';
import { advisoryLocks } from './advisory-locks.ts';

it('advisory locks have a number each', () => {
  const numbers = Object.values(advisoryLocks);
  expect(new Set(numbers).size).toBe(numbers.length);
});

it('whoever takes an advisory lock takes one of these', () => {
  const locking = sourceFiles().filter(({ isTest, text }) => !isTest && /pg_(try_)?advisory_/.test(text));
  expect(locking.length).toBeGreaterThan(0);
  for (const { path, text } of locking) expect(text, path).toMatch(/advisoryLocks[.[]/);
});
