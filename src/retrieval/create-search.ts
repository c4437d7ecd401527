import { browseMemories, memoriesAround, relatedByTopics } from './browse.ts';
import { conversationTimeline } from './conversations.ts';
import { searchFacts } from './facts.ts';
import { memoryHistogram } from './histogram.ts';
import { type SearchParts, searchMemories } from './search.ts';
import { searchConversations } from './search-conversations.ts';
import type { Search } from './search-port.ts';
import { similarMemories } from './similar.ts';
import { searchTopics, similarTopics, topicSimilarity } from './topics.ts';

/** Finding over the given stores and indexes. */
export function createSearch(parts: SearchParts): Search {
  return {
    search: (user, request) => searchMemories(parts, user, request),
    browse: (user, request) => browseMemories(parts, user, request),
    conversations: (user, query, limit) => searchConversations(parts, user, query, limit),
    facts: (user, query, limit) => searchFacts(parts, user, query, limit),
    conversationTimeline: (user, id, page) => conversationTimeline(parts, user, id, page),
    around: (user, memory, request) => memoriesAround(parts, user, memory, request),
    related: (user, memory, limit) => relatedByTopics(parts, user, memory, limit),
    similar: (user, memory, limit) => similarMemories(parts, user, memory, limit),
    topics: (user, query, page) => searchTopics(parts, user, query, page),
    similarTopics: (user, topic, request) => similarTopics(parts, user, topic, request),
    topicSimilarity: (a, b) => topicSimilarity(parts, a, b),
    histogram: (user, filter, groupBy, limit) => memoryHistogram(parts, user, { filter, groupBy, limit }),
  };
}
