import { mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { newTempFolder } from '../../../test/support/temp-folder.ts';
import { newCopyIn, removeOldCopies } from './backup.ts';

let folder: { path: string; remove(): void };
beforeEach(() => {
  folder = newTempFolder('copies');
});
afterEach(() => folder.remove());

const clock = { now: () => Date.parse('2026-11-22T03:04:05.678Z') };
const put = (...names: string[]) => names.map((name) => writeFileSync(join(folder.path, name), name));

it('a copy is named after its time, in a folder that only its owner may read', () => {
  const made = join(folder.path, 'a', 'b');
  expect(newCopyIn(made, 'db', clock)).toBe(join(made, 'memoryd-20261122T030405Z.db'));
  expect(statSync(made).mode & 0o777).toBe(0o700);
});

it('a file is refused where --keep wants a folder', () => {
  put('copy.db');
  expect(() => newCopyIn(join(folder.path, 'copy.db'), 'db', clock)).toThrow(/is a file: with --keep/);
});

it('the newest copies stay, of both kinds, and files of other names are left alone', () => {
  put('memoryd-20261119T030000Z.db', 'memoryd-20261120T030000Z.jsonl', 'memoryd-20261121T030000Z.db');
  put('memoryd.db', 'before-upgrade.db', 'memoryd-20250101T000000Z.db.gz', 'memoryd-20261122T030000Z.db');
  expect(removeOldCopies(folder.path, 2, clock)).toEqual([
    'memoryd-20261119T030000Z.db',
    'memoryd-20261120T030000Z.jsonl',
  ]);
  expect(readdirSync(folder.path).sort()).toEqual([
    'before-upgrade.db',
    'memoryd-20250101T000000Z.db.gz',
    'memoryd-20261121T030000Z.db',
    'memoryd-20261122T030000Z.db',
    'memoryd.db',
  ]);
  expect(removeOldCopies(folder.path, 2, clock)).toEqual([]);
});

it('what a killed backup left is removed after an hour, and a backup under way is not', () => {
  put('memoryd-20261121T030000Z.db.partial', 'memoryd-20261121T030000Z.db.partial-wal');
  put('memoryd-20261122T020000Z.jsonl.partial');
  const at = (minutes: number) => new Date(clock.now() - minutes * 60_000);
  for (const name of readdirSync(folder.path)) utimesSync(join(folder.path, name), at(61), at(61));
  utimesSync(join(folder.path, 'memoryd-20261122T020000Z.jsonl.partial'), at(59), at(59));
  mkdirSync(join(folder.path, 'other'));
  expect(removeOldCopies(folder.path, 5, clock)).toEqual([]);
  expect(readdirSync(folder.path).sort()).toEqual(['memoryd-20261122T020000Z.jsonl.partial', 'other']);
});
