import { describe, expect, it } from 'vitest';
import { newGate } from '../../test/support/gate.ts';
import { indexRow } from '../../test/support/index-row.ts';
import { otherWork } from '../lib/loop-time.ts';
import { IndexCache } from './index-cache.ts';
import type { IndexHead, IndexReader, IndexRow } from './ports.ts';

const user = { id: 1, publicId: 'user-1', name: 'ada' };

const rowOf = (doc: number, rev = doc): IndexRow =>
  indexRow(doc, { rev, conversationId: `conv_${doc % 7}`, termCount: 2 });

/** Called by each read of vectors, which waits for it. */
type VectorsRead = () => Promise<void>;

/** A cache over rows that tests change; they have vectors if `vectorsRead` is given. */
function cacheOver(rows: IndexRow[], afterRead: () => void = () => undefined, vectorsRead?: VectorsRead) {
  const changesSince: IndexReader['changesSince'] = async (rev, doc, limit) => {
    const later = rows.filter((row) => row.rev > rev || (row.rev === rev && row.doc > doc));
    const read = later.sort((a, b) => a.rev - b.rev || a.doc - b.doc).slice(0, limit);
    afterRead();
    return read;
  };
  const head = async (): Promise<IndexHead> => ({
    rev: Math.max(...rows.map(({ rev }) => rev)),
    epoch: 0,
    space: vectorsRead ? 1 : 0,
    second: 0,
  });
  const vectorsAfter: IndexReader['vectorsAfter'] = async (_range, after) => {
    const read = rows.filter(({ doc }) => doc > after.doc);
    await vectorsRead?.();
    return read.map(({ doc }) => ({ doc, part: 0, lateRev: null, vector: Int8Array.of(127, 0) }));
  };
  const segments = { list: async () => [] };
  const lateVectorsAfter = async () => [];
  const reader = { head, changesSince, segments, vectorsAfter, lateVectorsAfter } as unknown as IndexReader;
  return new IndexCache({ bytesMax: 2 ** 26, readerFor: () => reader });
}

const rowsOf = (count: number, from = 1) => Array.from({ length: count }, (_, i) => rowOf(from + i));

describe('a user index', () => {
  it('a user index lets others have their turn while it is read, and contains all rows in order of doc', async () => {
    const cache = cacheOver(rowsOf(20_000));
    let turns = 0;
    let isRead = false;
    const reading = cache.get(user, { withVectors: true }).finally(() => {
      isRead = true;
    });
    while (!isRead) {
      await otherWork();
      turns++;
    }
    const index = await reading;
    // 10 reads and 5 pieces.
    expect(turns).toBeGreaterThanOrEqual(14);
    expect(index.size).toBe(20_000);
    for (let row = 1; row < index.size; row++)
      expect(index.columns.docs[row]).toBeGreaterThan(index.columns.docs[row - 1]);
    expect(index.documents).toBe(20_000);
  });

  it('a user index takes a row once that changes while it is read', async () => {
    const rows = rowsOf(5000);
    let reads = 0;
    const cache = cacheOver(rows, () => {
      if (reads++ === 0) rows[0] = { ...rowOf(1, 5001), termCount: 10 };
    });
    const index = await cache.get(user, { withVectors: true });
    expect(index.size).toBe(5000);
    expect(index.columns.termCount[0]).toBe(10);
    expect(index.documentTerms).toBe(2 * 4999 + 10);
  });

  it('a user index is never seen with some of many changes: a search that runs keeps the old one', async () => {
    const rows = rowsOf(1000);
    const cache = cacheOver(rows);
    const before = await cache.get(user, { withVectors: true });
    rows.push(...rowsOf(9000, 1001));
    const sizes = new Set<number>();
    let isRead = false;
    const reading = cache.get(user, { withVectors: true }).finally(() => {
      isRead = true;
    });
    while (!isRead) {
      await otherWork();
      sizes.add(before.size);
    }
    expect((await reading).size).toBe(10_000);
    expect([...sizes]).toEqual([1000]);
    rows.push(rowOf(10_001));
    expect(await cache.get(user, { withVectors: true })).toBe(await reading);
    expect((await reading).size).toBe(10_001);
  });

  it('a search waits for the vectors of rows that another search is adding', async () => {
    const rows = rowsOf(3);
    const gate = newGate();
    let read: VectorsRead = async () => {};
    const cache = cacheOver(rows, undefined, () => read());
    expect((await cache.get(user, { withVectors: true })).embedded.size).toBe(3);
    rows.push(...rowsOf(2, 4));
    read = () => gate.pass(async () => {});
    const first = cache.get(user, { withVectors: true });
    await gate.reached;
    const withoutVectors = await cache.get(user, { withVectors: false });
    expect([withoutVectors.size, withoutVectors.embedded.size]).toEqual([5, 3]);
    const embedded = cache.get(user, { withVectors: true }).then((index) => index.embedded.size);
    await otherWork();
    gate.open();
    expect(await embedded).toBe(5);
    await first;
  });

  it('vectors whose read failed are read by the next search', async () => {
    const rows = rowsOf(3);
    let read: VectorsRead = async () => {};
    const cache = cacheOver(rows, undefined, () => read());
    await cache.get(user, { withVectors: true });
    rows.push(...rowsOf(2, 4));
    read = () => Promise.reject(new Error('The store is away.'));
    await expect(cache.get(user, { withVectors: true })).rejects.toThrow('away');
    read = async () => {};
    expect((await cache.get(user, { withVectors: true })).embedded.size).toBe(5);
  });

  it('what an index takes is counted again when rows are added to it', async () => {
    const rows = rowsOf(100);
    const cache = cacheOver(rows);
    const index = await cache.get(user, { withVectors: true });
    const before = cache.bytes;
    rows.push(...rowsOf(900, 101));
    expect(await cache.get(user, { withVectors: true })).toBe(index);
    expect(cache.bytes - before).toBeGreaterThan(900 * 80);
  });

  it('what is cached of texts is forgotten with its user, whether or not the index still is in memory', async () => {
    const traits = { pieces: Uint16Array.of(7), hasNumber: false, names: 0, valueKinds: 0 };
    for (const isRead of [true, false]) {
      const cache = cacheOver(rowsOf(3));
      if (isRead) await cache.get(user, { withVectors: true });
      cache.traits.add(2, traits);
      expect(cache.traits.get(2)).toBe(traits);
      cache.forget(user);
      expect(cache.traits.get(2)).toBeUndefined();
    }
  });

  it('what is cached of a text is forgotten when its version changes', async () => {
    const rows = rowsOf(3);
    const cache = cacheOver(rows);
    await cache.get(user, { withVectors: true });
    cache.traits.add(2, { pieces: new Uint16Array(), hasNumber: true, names: 1, valueKinds: 0 });
    rows[1] = { ...rowOf(2, 4), trashed: 1 };
    await cache.get(user, { withVectors: true });
    expect(cache.traits.get(2)).toBeUndefined();
  });
});
