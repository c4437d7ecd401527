import type { Conversation } from '../conversations/conversation.ts';
import { type RelatedTopic, relatedByGraph } from '../graph/related-by-graph.ts';
import { invalidInput, notFound } from '../shared/errors.ts';
import type { Page } from '../shared/page.ts';
import type { Stores } from '../shared/stores.ts';
import type { UserRef } from '../shared/user-ref.ts';
import {
  normaliseTopicName,
  type Topic,
  type TopicListQuery,
  type TopicName,
  type TopicReader,
  topicWords,
} from './topic.ts';

interface TopicConversations {
  readonly topic: Topic;
  readonly conversations: readonly Conversation[];
  /** Number of all matches. */
  readonly total: number;
}

/** Reads topics of memories. */
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

  /** Topics near a topic in the graph, at most `limit`. @throws 404 */
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

/** A name or alias with its likeness to a query: above 0, at most 1. */
interface ScoredName extends TopicName {
  readonly score: number;
}

const queryWordsMax = 16;
/** Maximum names read for one word; further names that begin with it are not found. */
const matchesMax = 5000;
const nameStartScore = 0.9;
const wordsScore = 0.8;
/** Least weight of a word that only begins with a word of the query, relative to an equal word. */
const prefixWorth = 0.5;

/**
 * Names and aliases that begin with the query, or contain a word
 * that begins with a word of it; each once, in no fixed order.
 * @throws 422 for a blank query
 */
export async function namesByWords(topics: TopicReader, query: string): Promise<ScoredName[]> {
  const requested = normaliseTopicName(query);
  if (requested === '') throw invalidInput('query', 'must not be blank');
  const words = topicWords(query).slice(0, queryWordsMax);
  const matches = await topics.matchName(requested, matchesMax);
  for (const word of words) matches.push(...(await topics.matchWord(word, matchesMax)));
  const scored = new Map<string, ScoredName>();
  for (const match of matches) {
    if (scored.has(match.normalizedName)) continue;
    const score = scoreOf(match.normalizedName, requested, words);
    if (score > 0) scored.set(match.normalizedName, { ...match, score });
  }
  return [...scored.values()];
}

/** Share of the query's words in the name, reduced for partial words and for further words of the name. */
function scoreOf(name: string, requested: string, words: readonly string[]): number {
  if (name === requested) return 1;
  const own = topicWords(name);
  const found = words.map((word) => worthOf(word, own));
  const sum = found.reduce((total, worth) => total + worth, 0);
  const byWords =
    words.length === 0
      ? 0
      : (wordsScore * sum) / (words.length + 0.1 * Math.max(0, own.length - words.length));
  const byStart = name.startsWith(requested)
    ? nameStartScore * (prefixWorth + (1 - prefixWorth) * share(requested, name))
    : 0;
  return Math.max(byWords, byStart);
}

function worthOf(word: string, own: readonly string[]): number {
  if (own.includes(word)) return 1;
  const longer = own.filter((candidate) => candidate.startsWith(word));
  return Math.max(0, ...longer.map((candidate) => prefixWorth + (1 - prefixWorth) * share(word, candidate)));
}

function share(part: string, whole: string): number {
  return part.length / whole.length;
}
