import type { Clock } from '../../lib/clock.ts';
import type { FailureReporter } from '../../lib/failure-log.ts';
import type { Stores } from '../shared/stores.ts';
import type { UserRef } from '../shared/user-ref.ts';
import type { Write } from '../shared/write.ts';
import { continueMerge, listMerges, startMerge, undoMerge } from './merge-topics.ts';
import { normaliseTopicName } from './topic.ts';
import type { TopicMerge } from './topic-merge.ts';

export interface TopicMergeServiceParts {
  readonly stores: Stores;
  readonly clock: Clock;
  readonly failures: FailureReporter;
}

/**
 * Merges of topics. A merge of many memories is many transactions, so that other writes go between; one merge of a
 * user is carried through before the next begins.
 */
export class TopicMergeService {
  readonly #stores: Stores;
  readonly #clock: Clock;
  readonly #failures: FailureReporter;

  constructor({ stores, clock, failures }: TopicMergeServiceParts) {
    this.#stores = stores;
    this.#clock = clock;
    this.#failures = failures;
  }

  /** Returns when every memory of the source is the target's. @throws 404, 422 when both are one topic */
  async merge(user: UserRef, source: string, target: string): Promise<TopicMerge> {
    const begun = await this.#sameUnfinished(user, source, target);
    const merge = begun ?? (await this.#alone(user, (write) => startMerge(write, source, target)));
    await this.finish(user);
    return merge;
  }

  /** Returns when every memory has its topics again. @throws 404 */
  async undo(user: UserRef, id: string): Promise<void> {
    await this.#alone(user, (write) => undoMerge(write, id));
    await this.finish(user);
  }

  list(user: UserRef): Promise<TopicMerge[]> {
    return listMerges(this.#stores.forUser(user));
  }

  /** Carries through what was begun, here or before a restart. */
  async finish(user: UserRef): Promise<void> {
    for (;;) {
      const unfinished = await this.#stores.forUser(user).topicMerges.findUnfinished();
      if (!unfinished) return;
      await this.#write(user, (write) => continueMerge(write, unfinished));
    }
  }

  /** Carries through what was begun before a restart, for each of `users`; what fails waits for the next start. */
  async resume(users: readonly UserRef[]): Promise<void> {
    const failed = (error: unknown) => this.#failures.failed('topic_merge', error);
    for (const user of users) await this.finish(user).catch(failed);
  }

  /** The merge asked for, where it is under way: a client asks again when its first request took too long. */
  async #sameUnfinished(user: UserRef, source: string, target: string): Promise<TopicMerge | undefined> {
    const { topicMerges, topics } = this.#stores.forUser(user);
    const merge = await topicMerges.findUnfinished();
    if (merge?.state !== 'running') return undefined;
    if (source !== merge.source.id && normaliseTopicName(source) !== normaliseTopicName(merge.source.name))
      return undefined;
    const into = await topics.find(target);
    return into?.id === merge.target.id ? merge : undefined;
  }

  async #alone<T>(user: UserRef, body: (write: Write) => Promise<T>): Promise<T> {
    for (;;) {
      await this.finish(user);
      const done = await this.#write(user, async (write) =>
        (await write.tx.topicMerges.findUnfinished()) ? undefined : { value: await body(write) },
      );
      if (done) return done.value;
    }
  }

  #write<T>(user: UserRef, body: (write: Write) => Promise<T>): Promise<T> {
    return this.#stores.forUser(user).transaction((tx) => body({ tx, at: this.#clock.now() }));
  }
}
