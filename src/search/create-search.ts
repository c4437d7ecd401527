import { browseMemories, memoriesAround, relatedByTopics } from './other/browse.ts';
import { aroundInConversation, conversationTimeline } from './other/conversations.ts';
import { searchFacts } from './other/facts.ts';
import { memoryHistogram } from './other/histogram.ts';
import { searchConversations } from './other/search-conversations.ts';
import { similarMemories } from './other/similar.ts';
import { timeBars } from './other/time-bars.ts';
import { rankTopics, similarTopics, topicSimilarity } from './other/topics.ts';
import { type Ranking, shippedRanking } from './rank/ranking.ts';
import { type SearchDeps, searchMemories } from './search.ts';
import type { Search } from './search-port.ts';

/** Search over the given stores and indexes, with the shipped ranking by default. */
export function createSearch({
  ranking,
  ...given
}: Omit<SearchDeps, 'ranking'> & { readonly ranking?: Ranking }): Search {
  const deps: SearchDeps = { ...given, ranking: ranking ?? shippedRanking(given.semantic, given) };
  return {
    relevanceFloor: deps.relevanceFloor ?? 0,
    search: (user, request) => searchMemories(deps, user, request),
    browse: (user, request) => browseMemories(deps, user, request),
    conversations: (user, query, limit) => searchConversations(deps, user, query, limit),
    facts: (user, request) => searchFacts(deps, user, request),
    aroundInConversation: (user, memory, limit) => aroundInConversation(deps, user, memory, limit),
    conversationTimeline: (user, id, page) => conversationTimeline(deps, user, id, page),
    around: (user, memory, request) => memoriesAround(deps, user, memory, request),
    related: (user, memory, limit) => relatedByTopics(deps, user, memory, limit),
    similar: (user, memory, limit) => similarMemories(deps, user, memory, limit),
    topics: (user, query, page) => rankTopics(deps, user, query, page),
    similarTopics: (user, topic, request) => similarTopics(deps, user, topic, request),
    topicSimilarity: (a, b) => topicSimilarity(deps, a, b),
    timeBars: (user, request) => timeBars(deps, user, request),
    histogram: (user, filter, groupBy, limit) => memoryHistogram(deps, user, { filter, groupBy, limit }),
  };
}
