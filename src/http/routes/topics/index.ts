import type { Route } from '../../route-plugin.ts';
import { calculateTopicSimilarity } from './calculate-topic-similarity.ts';
import { clusterTopics } from './cluster-topics.ts';
import { discoverRelatedTopics } from './discover-related-topics.ts';
import { findSimilarTopics } from './find-similar-topics.ts';
import { getTopicById } from './get-topic-by-id.ts';
import { listTopics } from './list-topics.ts';
import { mergeTopics } from './merge-topics.ts';
import { searchTopics } from './search-topics.ts';

export const topicRoutes: readonly Route[] = [
  listTopics,
  getTopicById,
  searchTopics,
  mergeTopics,
  discoverRelatedTopics,
  findSimilarTopics,
  calculateTopicSimilarity,
  clusterTopics,
];
