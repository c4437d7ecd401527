import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toCsv } from './export-memories.ts';

/** Reads RFC 4180, as plainly as it can be done. */
function parse(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    if (quoted && text.startsWith('""', i)) cell += text[++i];
    else if (text[i] === '"') quoted = !quoted;
    else if (!quoted && text[i] === ',') {
      row.push(cell);
      cell = '';
    } else if (!quoted && text.startsWith('\r\n', i)) {
      rows.push([...row, cell]);
      row = [];
      cell = '';
      i++;
    } else cell += text[i];
  }
  return rows;
}

describe('CSV', () => {
  it('CSV is read back as it was written, whatever the cells hold', () => {
    const cell = fc.oneof(fc.string(), fc.stringMatching(/^[",\r\n a]{0,8}$/));
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { maxLength: 5 }), (rows) => {
        const harmless = rows.map((row) =>
          row.map((text) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text)),
        );
        expect(parse(toCsv(rows))).toEqual(harmless);
      }),
    );
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx', '=HYPERLINK("http://x","y")'])(
    'CSV has no cell that a spreadsheet runs: %s',
    (text) => {
      expect(parse(toCsv([[text]]))[0][0]).toBe(`'${text}`);
    },
  );
});
