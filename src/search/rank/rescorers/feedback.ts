import {
  type FeedbackEntry,
  type FeedbackReader,
  feedbackKeptMax,
} from '../../../domain/feedback/feedback.ts';
import type { EpochMs } from '../../../domain/shared/time.ts';
import type { UserIndex } from '../../../search-index/rows/user-index.ts';
import { withSummand } from '../fuse/fuse.ts';
import type { Rescorer } from '../rescorer.ts';

/**
 * Maximum change of a score by feedback, as a share of the score:
 * a memory can only pass memories less than a tenth better.
 */
const feedbackShareMax = 0.05;

/** Raises or lowers each score by a share of itself, by the search feedback on its memory. */
export const feedback: Rescorer = {
  name: 'feedback',
  applies: ({ feedbackWeight }) => feedbackWeight !== 0,
  rescore: async (ranked, { plan, view, preferences }) => {
    const bySeq = await preferences();
    if (!bySeq) return ranked;
    const { seqs } = view.index.columns;
    const scores = view.arrays.numbers(view.size);
    for (let i = 0; i < ranked.rows.length; i++) {
      const row = ranked.rows[i];
      const preference = bySeq[seqs[row]] ?? 0;
      if (preference !== 0) scores[row] = preference * Math.max(0, ranked.scores[row]);
    }
    return withSummand(ranked, view, {
      signal: 'feedback',
      group: 'feedback',
      phrase: 'feedback on earlier searches',
      factor: plan.feedbackWeight * feedbackShareMax,
      scores,
    });
  },
};

interface Known {
  /** The change of the user up to which feedback was read. */
  rev: number;
  /** The newest entries, oldest first. */
  entries: readonly FeedbackEntry[];
  /** By seq of a memory; undefined without feedback. */
  preferences: Float64Array | undefined;
}

/**
 * Preferences of users among their memories, from search feedback. They are cached with the
 * index of the user: a search reads only new feedback, and nothing without a change of the user.
 */
export class FeedbackPreferences {
  readonly #known = new WeakMap<UserIndex, Known>();

  /**
   * @param asOf only feedback up to this time
   * @returns by seq of a memory, from -1 to 1; undefined without feedback
   */
  async of(
    reader: Pick<FeedbackReader, 'after'>,
    index: UserIndex,
    asOf: EpochMs | undefined,
  ): Promise<Float64Array | undefined> {
    const known = this.#known.get(index) ?? { rev: -1, entries: [], preferences: undefined };
    this.#known.set(index, known);
    if (known.rev < index.rev) await this.#read(reader, index, known);
    if (asOf === undefined || known.preferences === undefined) return known.preferences;
    return preferencesFrom(known.entries.filter(({ at }) => at <= asOf));
  }

  async #read(reader: Pick<FeedbackReader, 'after'>, index: UserIndex, known: Known): Promise<void> {
    const { rev } = index;
    const read = await reader.after(known.entries.at(-1)?.number ?? 0);
    // Another search may have read the same since.
    const last = known.entries.at(-1)?.number ?? 0;
    const added = read.filter(({ number }) => number > last);
    known.rev = Math.max(known.rev, rev);
    if (added.length === 0) return;
    known.entries = [...known.entries, ...added].slice(-feedbackKeptMax);
    known.preferences = preferencesFrom(known.entries);
  }
}

function preferencesFrom(entries: readonly FeedbackEntry[]): Float64Array | undefined {
  if (entries.length === 0) return undefined;
  const counts = new Map<number, { selected: number; notSelected: number }>();
  for (const { seq, action } of entries) {
    const count = counts.get(seq) ?? { selected: 0, notSelected: 0 };
    count[action === 'selected' ? 'selected' : 'notSelected']++;
    counts.set(seq, count);
  }
  let seqMax = 0;
  for (const seq of counts.keys()) if (seq > seqMax) seqMax = seq;
  const preferences = new Float64Array(seqMax + 1);
  for (const [seq, { selected, notSelected }] of counts)
    preferences[seq] = preferenceOf(selected, notSelected);
  return preferences;
}

/**
 * Preference for a memory from its feedback: between -1 and 1, 0 without
 * feedback. It is twice the chance of being selected by Laplace's rule of
 * succession, minus 1, so one entry has little weight (1/3) and many have more.
 */
export function preferenceOf(selected: number, notSelected: number): number {
  return (selected - notSelected) / (selected + notSelected + 2);
}
