import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const folder = new URL('../../src/storage/sql/core/migrations/', import.meta.url);

/** What programs of the version before cannot go on with, or may not. */
const takesAway =
  /\bdrop\s+(table|column|index|default)\b|\brename\b|\bset\s+not\s+null\b|\balter\s+(column|table\s+\w+\s+alter)\b|\badd\s+(constraint|unique|check|foreign)\b|\badd\s+column\s+\w+[^,;'"`]*\bnot\s+null\b(?![^,;'"`]*\bdefault\b)/i;

/** Expand, then contract: ADR 47. */
describe('migrations', () => {
  it('one that takes away or narrows what programs use says which version it needs', () => {
    const list = readFileSync(new URL('all.ts', folder), 'utf8');
    const later = readdirSync(folder).filter((name) => /^\d{4}-/.test(name) && !name.startsWith('0001-'));
    const wrong = later.filter((name) => {
      const entry = new RegExp(`id: ${Number(name.slice(0, 4))},[^}]*`).exec(list)?.[0] ?? '';
      return takesAway.test(readFileSync(new URL(name, folder), 'utf8')) && !/\bneeds: \d/.test(entry);
    });
    expect(wrong).toEqual([]);
  });

  it.each([
    ['ALTER TABLE memories DROP COLUMN note', true],
    ['ALTER TABLE memories RENAME COLUMN note TO remark', true],
    ['ALTER TABLE memories ALTER COLUMN note SET NOT NULL', true],
    ['ALTER TABLE memories ADD COLUMN note TEXT NOT NULL', true],
    ["ALTER TABLE memories ADD COLUMN note TEXT NOT NULL DEFAULT ''", false],
    ['ALTER TABLE memories ADD COLUMN note TEXT', false],
    ['CREATE TABLE notes (id TEXT NOT NULL)', false],
  ])('%s', (statement, is) => {
    expect(takesAway.test(statement)).toBe(is);
  });
});
