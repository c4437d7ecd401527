import { describe, expect, it } from 'vitest';
import { fillPage, PageBytes, pageBytesMax } from './page-bytes.ts';

const text = (bytes: number) => 'x'.repeat(bytes);

describe('a page bounded in bytes', () => {
  it('a page is never longer than 8 MiB as JSON, whatever its characters take', () => {
    for (const character of ['x', 'é', '界', '\u0001', '"', '😀']) {
      const page = new PageBytes<string>();
      while (page.take(character.repeat(40_000)));
      expect(Buffer.byteLength(JSON.stringify(page.items))).toBeLessThanOrEqual(pageBytesMax);
      expect(page.items.length).toBeGreaterThan(10);
    }
  });

  it('a cheap bound that proves too high changes nothing about where a page ends', () => {
    const exact = new PageBytes<string>();
    const bounded = new PageBytes<string>((item) => item.length * 6);
    for (const page of [exact, bounded]) while (page.take(text(50_000)));
    expect(bounded.items.length).toBe(exact.items.length);
    expect(exact.items.length).toBe(Math.floor(pageBytesMax / (50_002 + 2048)));
  });

  it('one record fits whatever its size', () => {
    const page = new PageBytes<string>();
    expect(page.take(text(pageBytesMax))).toBe(true);
    expect(page.take('x')).toBe(false);
  });

  it('records of a page are read in pieces, and no more of them once the page is full', async () => {
    const reads: number[] = [];
    const read = async (keys: readonly number[]) => {
      reads.push(keys.length);
      return keys.map(() => text(60_000));
    };
    const filled = await fillPage(
      Array.from({ length: 1000 }, (_, i) => i),
      read,
    );
    expect(filled.isFull).toBe(true);
    expect(filled.taken).toBe(filled.items.length);
    expect(reads.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(160);
    for (const count of reads.slice(1)) expect(count * 60_000).toBeLessThanOrEqual(1024 * 1024);
  });

  it('a record that was erased since counts as a place of the list', async () => {
    const filled = await fillPage(['a', undefined, 'b'], async (keys) => keys);
    expect(filled).toEqual({ items: ['a', 'b'], taken: 3, isFull: false });
  });
});
