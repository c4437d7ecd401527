import type { Route } from '../../route-plugin.ts';
import { getTopicById } from './get-topic-by-id.ts';
import { listTopics } from './list-topics.ts';

export const topicRoutes: readonly Route[] = [listTopics, getTopicById];
