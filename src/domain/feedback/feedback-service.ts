import type { Clock } from '../../lib/clock.ts';
import { notFound } from '../shared/errors.ts';
import type { Stores } from '../shared/stores.ts';
import type { EpochMs } from '../shared/time.ts';
import type { UserRef } from '../shared/user-ref.ts';
import { type KeyedAct, writeAs } from '../shared/write.ts';
import {
  type Feedback,
  type FeedbackCounts,
  type FeedbackSummary,
  type FeedbackTally,
  feedbackQueryMax,
} from './feedback.ts';

interface FeedbackScope {
  readonly createdFrom?: EpochMs;
  readonly createdTo?: EpochMs;
  /** Name, alias or id; an unknown one matches no memories. */
  readonly topic?: string;
}

const nothing: FeedbackSummary = { selected: 0, notSelected: 0, byMethod: [] };

function countsOf(tallies: readonly FeedbackTally[]): FeedbackCounts {
  const of = (action: FeedbackTally['action']) => tallies.filter((tally) => tally.action === action);
  const sum = (list: readonly FeedbackTally[], field: 'count' | 'placed' | 'positions') =>
    list.reduce((total, tally) => total + tally[field], 0);
  const chosen = of('selected');
  const placed = sum(chosen, 'placed');
  const counts = { selected: sum(chosen, 'count'), notSelected: sum(of('not_selected'), 'count') };
  return placed > 0 ? { ...counts, meanSelectedPosition: sum(chosen, 'positions') / placed } : counts;
}

/** The first `feedbackQueryMax` UTF-16 units, without splitting a surrogate pair. */
function beginning(query: string): string {
  const cut = query.slice(0, feedbackQueryMax);
  return cut.isWellFormed() || !query.isWellFormed() ? cut : cut.slice(0, -1);
}

/**
 * Feedback on search results. It appears in statistics, is part of the
 * quality of memories, and changes the order of near-equal results.
 */
export class FeedbackService {
  readonly #stores: Stores;
  readonly #clock: Clock;

  constructor({ stores, clock }: { readonly stores: Stores; readonly clock: Clock }) {
    this.#stores = stores;
    this.#clock = clock;
  }

  /** @throws 404 if the user does not have the memory */
  async record(user: UserRef, feedback: Feedback, act?: KeyedAct<void>): Promise<void> {
    await writeAs(
      { stores: this.#stores, clock: this.#clock },
      user,
      async ({ tx, at }) => {
        if (!(await tx.memories.find(feedback.memoryId))) throw notFound('memory');
        const { query } = feedback;
        await tx.feedback.add({ ...feedback, query: query === null ? null : beginning(query) }, at);
      },
      act,
    );
  }

  /** Summary of the stored feedback on live memories within `scope`. */
  async summary(user: UserRef, { createdFrom, createdTo, topic }: FeedbackScope): Promise<FeedbackSummary> {
    const { feedback, topics } = this.#stores.forUser(user);
    const topicId = topic === undefined ? undefined : (await topics.find(topic))?.id;
    if (topic !== undefined && topicId === undefined) return nothing;
    const tallies = await feedback.tally({ createdFrom, createdTo, topicId });
    const methods = [...new Set(tallies.map(({ searchMethod }) => searchMethod))];
    const byMethod = methods.flatMap((searchMethod) =>
      searchMethod === null
        ? []
        : { searchMethod, ...countsOf(tallies.filter((tally) => tally.searchMethod === searchMethod)) },
    );
    return { ...countsOf(tallies), byMethod };
  }
}
