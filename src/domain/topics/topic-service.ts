import type { Conversation } from '../conversations/conversation.ts';
import { type RelatedTopic, relatedByGraph } from '../graph/related-by-graph.ts';
import { notFound } from '../shared/errors.ts';
import type { Page } from '../shared/page.ts';
import type { Stores } from '../shared/stores.ts';
import type { UserRef } from '../shared/user-ref.ts';
import type { Topic } from './topic.ts';
import type { TopicListQuery } from './topic-store.ts';

interface TopicConversations {
  readonly topic: Topic;
  readonly conversations: readonly Conversation[];
  /** Number of all matches. */
  readonly total: number;
}

/** Topics that a user wrote on memories. */
export class TopicService {
  readonly #stores: Stores;

  constructor({ stores }: { readonly stores: Stores }) {
    this.#stores = stores;
  }

  /** By id, name or alias. @throws 404 */
  async get(user: UserRef, idOrName: string): Promise<Topic> {
    const topic = await this.#stores.forUser(user).topics.find(idOrName);
    if (!topic) throw notFound('topic');
    return topic;
  }

  list(user: UserRef, query: TopicListQuery): Promise<Page<Topic>> {
    return this.#stores.forUser(user).topics.list(query);
  }

  /** Topics near it in the graph, at most `limit`. @throws 404 */
  async related(user: UserRef, idOrName: string, limit: number): Promise<RelatedTopic[]> {
    const topic = await this.get(user, idOrName);
    return relatedByGraph(this.#stores.forUser(user), topic.id, limit);
  }

  /** Conversations with memories of a topic, most of them first, then newest activity. @throws 404 */
  async conversations(user: UserRef, idOrName: string, limit: number): Promise<TopicConversations> {
    const topic = await this.get(user, idOrName);
    const { topics, conversations } = this.#stores.forUser(user);
    const ids = await topics.conversationsOf(topic.id, limit);
    const total = await topics.countConversationsOf(topic.id);
    const found = new Map((await conversations.findMany(ids)).map((item) => [item.id, item]));
    return { topic, conversations: ids.flatMap((id) => found.get(id) ?? []), total };
  }
}
