import { otherWork } from '../../lib/loop-time.ts';
import type { IndexReader, IndexRow } from '../ports.ts';

const rowsPerRead = 2000;
/** Rows applied before the event loop gets a turn, about 10 ms. */
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
  // A row that changed between two reads is in both; the later one counts.
  return rows.filter((row, i) => row.doc !== rows[i + 1]?.doc);
}
