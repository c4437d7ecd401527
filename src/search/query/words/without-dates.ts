import { dateTest } from '../../../search-index/analysis/date-terms.ts';
import type { UserIndex } from '../../../search-index/rows/user-index.ts';
import type { LiveTerm } from './live-terms.ts';

/** A term as texts, topics and names hold it: documents hold the words of their event date too, each of them once. */
export function withoutDates(index: UserIndex, live: LiveTerm): LiveTerm {
  const isOfDate = dateTest(live.term);
  if (isOfDate === undefined) return live;
  const { eventTime } = index.columns;
  const rows: number[] = [];
  const frequencies: number[] = [];
  let dated = 0;
  for (let i = 0; i < live.rows.length; i++) {
    const row = live.rows[i];
    const time = eventTime[row];
    const inText = live.frequencies[i] - (!Number.isNaN(time) && isOfDate(time) ? 1 : 0);
    if (inText > 0) {
      rows.push(row);
      frequencies.push(inText);
    } else if (index.isLive(row)) dated++;
  }
  return {
    ...live,
    rows: Int32Array.from(rows),
    frequencies: Uint8Array.from(frequencies),
    documentFrequency: live.documentFrequency - dated,
  };
}
