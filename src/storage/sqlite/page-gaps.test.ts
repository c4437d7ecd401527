import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import SqliteConnection from 'better-sqlite3';
import { afterAll, describe, expect, it } from 'vitest';
import { newTempFolder } from '../../../test/support/temp-folder.ts';
import { gapOf, isWholePage, readPageFormat } from './gap-scrubber.ts';

interface PageUse {
  readonly pageno: number;
  readonly pagetype: 'leaf' | 'internal' | 'overflow';
  readonly unused: number;
}

const folder = newTempFolder('gaps');
afterAll(() => folder.remove());

describe.each([512, 4096, 65_536])('gaps in a file with pages of %i bytes', (pageBytes) => {
  const path = join(folder.path, `${pageBytes}.db`);

  it('gaps in a file are found in b-tree pages alone, and are no larger than what SQLite says is unused', () => {
    const sqlite = new SqliteConnection(path);
    sqlite.pragma(`page_size = ${pageBytes}`);
    sqlite.exec('CREATE TABLE t (k TEXT PRIMARY KEY, v TEXT)');
    const insert = sqlite.prepare('INSERT INTO t VALUES (?, ?)');
    sqlite.exec('BEGIN');
    for (let i = 0; i < 3000; i++) insert.run(`key ${(i * 7919) % 3001}`, '\n\t\r'.repeat((i * 31) % 900));
    sqlite.exec('DELETE FROM t WHERE rowid % 3 = 0');
    sqlite.exec('COMMIT');
    const uses = sqlite.prepare('SELECT pageno, pagetype, unused FROM dbstat').all() as PageUse[];
    sqlite.close();
    const bytes = readFileSync(path);
    const format = readPageFormat(bytes);
    expect(format.pageBytes).toBe(pageBytes);
    const overflowing = new Set<number>();
    let gaps = 0;
    for (const { pageno, pagetype, unused } of uses) {
      const page = bytes.subarray((pageno - 1) * pageBytes, pageno * pageBytes);
      const gap = gapOf(page, pageno, format);
      if (pagetype === 'overflow') overflowing.add(gap ? pageno : 0);
      else if (gap) {
        gaps++;
        expect(gap.end - gap.start).toBeLessThanOrEqual(unused);
        expect(isWholePage(page, pageno, gap, format)).toBe(true);
      }
    }
    expect([...overflowing].filter((page) => page > 0)).toEqual([]);
    expect(gaps).toBeGreaterThan(3);
  });

  it('gaps in a file are where text was cut off: filled with zeros, the file is as whole as before', () => {
    const bytes = readFileSync(path);
    const format = readPageFormat(bytes);
    for (let at = 0; at < bytes.length; at += pageBytes) {
      const page = bytes.subarray(at, at + pageBytes);
      const gap = gapOf(page, at / pageBytes + 1, format);
      if (gap) page.fill(0, gap.start, gap.end);
    }
    const sqlite = new SqliteConnection(bytes);
    expect(sqlite.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(sqlite.prepare('SELECT count(*) FROM t').pluck().get()).toBe(2000);
    sqlite.close();
  });
});
