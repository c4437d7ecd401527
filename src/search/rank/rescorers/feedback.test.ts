import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FeedbackEntry } from '../../../domain/feedback/feedback.ts';
import { UserIndex } from '../../../search-index/rows/user-index.ts';

import { FeedbackPreferences, preferenceOf } from './feedback.ts';

/** Feedback that counts how often it is read. */
function readerOver(entries: FeedbackEntry[]) {
  const reads: number[] = [];
  const after = async (number: number) => {
    reads.push(number);
    return entries.filter((entry) => entry.number > number);
  };
  return { reads, after };
}

const entry = (number: number, seq: number, action: FeedbackEntry['action']): FeedbackEntry => ({
  number,
  seq,
  action,
  at: number * 10,
});

describe('preferences by search feedback', () => {
  it('a preference lies between -1 and 1 and is 0 where as much speaks for as against', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (selected, not) => {
        const preference = preferenceOf(selected, not);
        expect(Math.abs(preference)).toBeLessThan(1);
        expect(Math.sign(preference)).toBe(Math.sign(selected - not));
      }),
    );
  });

  it('preferences are read again only where the user has changed something, and then only what is new', async () => {
    const entries = [entry(1, 4, 'selected'), entry(2, 7, 'not_selected')];
    const reader = readerOver(entries);
    const preferences = new FeedbackPreferences();
    const index = new UserIndex({ epoch: 1, space: 0 });
    const both = await preferences.of(reader, index, undefined);
    expect([both?.[4], both?.[7], both?.[5]]).toEqual([1 / 3, -1 / 3, 0]);
    await preferences.of(reader, index, undefined);
    expect(reader.reads).toEqual([0]);
    entries.push(entry(3, 4, 'selected'));
    index.rev++;
    expect((await preferences.of(reader, index, undefined))?.[4]).toBe(1 / 2);
    expect(reader.reads).toEqual([0, 2]);
    expect((await preferences.of(reader, index, 15))?.[7]).toBeUndefined();
    expect(await preferences.of(reader, index, 5)).toBeUndefined();
  });

  it('a user without feedback has no preferences, and two searches at once count no entry twice', async () => {
    const index = new UserIndex({ epoch: 1, space: 0 });
    expect(await new FeedbackPreferences().of(readerOver([]), index, undefined)).toBeUndefined();
    const preferences = new FeedbackPreferences();
    const reader = readerOver([entry(1, 2, 'selected')]);
    const all = await Promise.all([1, 2, 3].map(() => preferences.of(reader, index, undefined)));
    expect(all.map((each) => each?.[2])).toEqual([1 / 3, 1 / 3, 1 / 3]);
  });
});
