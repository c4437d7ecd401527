import { topicNotFound } from '../shared/errors.ts';
import type { Page } from '../shared/page.ts';
import type { Stores } from '../shared/stores.ts';
import type { UserRef } from '../shared/user-ref.ts';
import type { Topic } from './topic.ts';
import type { TopicListQuery } from './topic-store.ts';

/** Topics that a user wrote on memories. */
export class TopicService {
  readonly #stores: Stores;

  constructor({ stores }: { readonly stores: Stores }) {
    this.#stores = stores;
  }

  /** By id or name. @throws 404 */
  async get(user: UserRef, idOrName: string): Promise<Topic> {
    const topic = await this.#stores.forUser(user).topics.find(idOrName);
    if (!topic) throw topicNotFound();
    return topic;
  }

  list(user: UserRef, query: TopicListQuery): Promise<Page<Topic>> {
    return this.#stores.forUser(user).topics.list(query);
  }
}
