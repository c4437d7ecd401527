import type { Clock } from '../../lib/clock.ts';
import { notFound } from '../shared/errors.ts';
import type { Stores } from '../shared/stores.ts';
import type { UserRef } from '../shared/user-ref.ts';
import { type KeyedAct, type Write, writeAs } from '../shared/write.ts';
import { continueMerge, listMerges, startMerge, undoMerge } from './merge-topics.ts';
import { normaliseTopicName, type Topic } from './topic.ts';
import type { TopicMerge } from './topic-merge.ts';

interface TopicMergeServiceDeps {
  readonly stores: Stores;
  readonly clock: Clock;
}

/**
 * Merges of topics. A merge of many memories is many transactions, so that other writes go between; one merge of a
 * user is completed before the next begins.
 */
export class TopicMergeService {
  readonly #stores: Stores;
  readonly #clock: Clock;

  constructor({ stores, clock }: TopicMergeServiceDeps) {
    this.#stores = stores;
    this.#clock = clock;
  }

  /**
   * Returns when every memory of the source is the target's. With a key, the first transaction notes the target: a
   * retry after a crash continues that merge, and the last transaction stores the response.
   * @returns the target @throws 404, 422 when both are one topic
   */
  async merge(user: UserRef, source: string, target: string, act?: KeyedAct<Topic>): Promise<Topic> {
    const targetId = await this.#begin(user, source, target, act);
    await this.finish(user);
    return this.#write(user, async (write) => {
      const topic = await write.tx.topics.find(targetId);
      if (!topic) throw notFound('topic');
      await act?.finish(write, topic);
      return topic;
    });
  }

  async #begin(user: UserRef, source: string, target: string, act?: KeyedAct<Topic>): Promise<string> {
    const noted = async (write: Write, merge: () => Promise<TopicMerge>): Promise<string> => {
      const progress = await act?.begin(write);
      if (progress !== undefined) return progress;
      const { id } = (await merge()).target;
      await act?.note(write, id);
      return id;
    };
    const same = await this.#sameUnfinished(user, source, target);
    if (same) return this.#write(user, (write) => noted(write, async () => same));
    return this.#alone(user, (write) => noted(write, () => startMerge(write, source, target)));
  }

  /** Returns when every memory has its topics again. @throws 404 */
  async undo(user: UserRef, id: string): Promise<void> {
    await this.#alone(user, (write) => undoMerge(write, id));
    await this.finish(user);
  }

  list(user: UserRef): Promise<TopicMerge[]> {
    return listMerges(this.#stores.forUser(user));
  }

  /** Completes merges that were begun, here or before a restart. */
  async finish(user: UserRef): Promise<void> {
    for (;;) {
      const unfinished = await this.#stores.forUser(user).topicMerges.findUnfinished();
      if (!unfinished) return;
      await this.#write(user, (write) => continueMerge(write, unfinished));
    }
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
    return writeAs({ stores: this.#stores, clock: this.#clock }, user, body);
  }
}
