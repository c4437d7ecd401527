import { otherWork } from '../../lib/loop-time.ts';
import type { IndexReader, IndexRow } from '../ports.ts';

const rowsPerRead = 2000;
/** Taken in before others get their turn, some 10 ms. */
export const rowsAtOnce = 4000;

/** Rows as last committed, in order of doc. */
export async function changesAfter(reader: IndexReader, after: number): Promise<IndexRow[]> {
  const rows: IndexRow[] = [];
  let rev = after;
  let doc = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const read = await reader.changesSince(rev, doc, rowsPerRead);
    rows.push(...read);
    const last = read.at(-1);
    if (last === undefined || read.length < rowsPerRead) break;
    ({ rev, doc } = last);
    await otherWork();
  }
  rows.sort((a, b) => a.doc - b.doc);
  // A row that changed between two reads came twice, the later one behind.
  return rows.filter((row, i) => row.doc !== rows[i + 1]?.doc);
}
