import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { newTempFolder } from '../../../test/support/temp-folder.ts';
import { StoreRefusedError } from './file/open-failure.ts';
import { isServed, lockForServing } from './serve-lock.ts';

let folder: ReturnType<typeof newTempFolder>;
let path: string;
beforeEach(() => {
  folder = newTempFolder('serve-lock');
  path = join(folder.path, 'm.db');
});
afterEach(() => folder.remove());

it('a file is served from when it is locked for serving until that is released', () => {
  expect(isServed(path)).toBe(false);
  const lock = lockForServing(path);
  expect(isServed(path)).toBe(true);
  expect(() => lockForServing(path)).toThrow(StoreRefusedError);
  expect(isServed(path)).toBe(true);
  lock.release();
  expect(isServed(path)).toBe(false);
  lockForServing(path).release();
});
