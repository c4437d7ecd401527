import type { Clock } from '../../lib/clock.ts';
import { inPart, notFound } from '../shared/errors.ts';
import type { Stores } from '../shared/stores.ts';
import type { UserRef } from '../shared/user-ref.ts';
import { type KeyedAct, type Write, writeAs } from '../shared/write.ts';
import { continueMerge, listMerges, startMerge, startRename, undoMerge } from './merge-topics.ts';
import { normaliseTopicName, type Topic } from './topic.ts';
import type { TopicMerge } from './topic-merge.ts';

interface TopicMergeServiceDeps {
  readonly stores: Stores;
  readonly clock: Clock;
}

/**
 * Merges topics. A merge of many memories takes many transactions, so that other writes run between them; a user's merge
 * is completed before the next one begins.
 */
export class TopicMergeService {
  readonly #stores: Stores;
  readonly #clock: Clock;

  constructor({ stores, clock }: TopicMergeServiceDeps) {
    this.#stores = stores;
    this.#clock = clock;
  }

  /**
   * Returns once every memory of the source has the target. With a key, the first transaction records the target, so that
   * a retry after a crash continues that merge; the last one stores the response.
   * @returns the target @throws 404; 422 if both are the same topic
   */
  async merge(user: UserRef, source: string, target: string, act?: KeyedAct<Topic>): Promise<Topic> {
    const same = await this.#sameUnfinished(user, source, target);
    const targetId = same
      ? await this.#write(user, (write) => targetOf(write, async () => same, act))
      : await this.#alone(user, (write) => targetOf(write, () => startMerge(write, source, target), act));
    return this.#complete(user, targetId, act);
  }

  /**
   * Gives a topic another name; as `merge`, whose undo gives it its former name again.
   * @returns the topic with that name @throws 404; 422 for a name that it cannot have
   */
  async rename(user: UserRef, idOrName: string, name: string, act?: KeyedAct<Topic>): Promise<Topic> {
    const targetId = await this.#alone(user, (write) =>
      targetOf(write, () => startRename(write, idOrName, name), act),
    );
    return this.#complete(user, targetId, act);
  }

  async #complete(user: UserRef, targetId: string, act?: KeyedAct<Topic>): Promise<Topic> {
    await this.finish(user).catch(notComplete);
    return this.#write(user, async (write) => {
      const topic = await write.tx.topics.find(targetId);
      if (!topic) throw notFound('topic');
      await act?.finish(write, topic);
      return topic;
    });
  }

  /** Returns once every memory has its former topics. @throws 404 */
  async undo(user: UserRef, id: string): Promise<void> {
    await this.#alone(user, (write) => undoMerge(write, id));
    await this.finish(user).catch(notComplete);
  }

  list(user: UserRef): Promise<TopicMerge[]> {
    return listMerges(this.#stores.forUser(user));
  }

  /** Completes unfinished merges, of this process or from before a restart. */
  async finish(user: UserRef): Promise<void> {
    for (;;) {
      const unfinished = await this.#stores.forUser(user).topicMerges.findUnfinished();
      if (!unfinished) return;
      await this.#write(user, (write) => continueMerge(write, unfinished));
    }
  }

  /** The requested merge if it is running: a client repeats a request that took too long. */
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

/** Id of the target of a merge that begins, or of an earlier try's. */
async function targetOf(
  write: Write,
  merge: () => Promise<TopicMerge>,
  act?: KeyedAct<Topic>,
): Promise<string> {
  const progress = await act?.begin(write);
  if (progress !== undefined) return progress;
  const { id } = (await merge()).target;
  await act?.note(write, id);
  return id;
}

const notComplete = inPart('The change of the topics has begun, but is not complete yet');
