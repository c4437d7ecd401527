import { clusterSizeDefault } from '../../../domain/graph/cluster-service.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { component } from '../../schemas/component.ts';
import { dataOf, errorResponses } from '../../schemas/envelope.ts';
import { TopicSchema, toTopicRecord } from '../../schemas/topic.ts';

const Body = Type.Object(
  {
    minClusterSize: Type.Optional(
      Type.Integer({
        minimum: 2,
        default: clusterSizeDefault,
        description: `Topics that a cluster must have, ${clusterSizeDefault} by default.`,
      }),
    ),
  },
  { examples: [{ minClusterSize: 2 }] },
);

const ClusterSchema = Type.Object(
  {
    id: Type.String({ description: 'Of its first topic.' }),
    name: Type.String({ description: 'Of its first topic.' }),
    topics: Type.Array(TopicSchema, { description: 'The one closest to the others first, at most 100.' }),
    topicCount: Type.Integer(),
    memoryCount: Type.Integer({ description: 'Memories with one of them.' }),
    cohesion: Type.Number({ description: 'Mean Jaccard index of its pairs of topics, 0-1.' }),
  },
  component('TopicCluster'),
);

const ClustersSchema = Type.Object(
  {
    clusters: Type.Array(ClusterSchema, {
      description: 'The largest first, those with 2,000 topics in all.',
    }),
    clusterCount: Type.Integer({ description: 'All clusters.' }),
  },
  component('TopicClusters'),
);

export const clusterTopics: Route = (app, { clusters }) => {
  app.post(
    '/api/topics/cluster',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'clusterTopics',
        tags: ['Topics'],
        summary: 'Cluster topics',
        description:
          'Groups topics that are on nearly the same memories: average-linkage clustering (UPGMA, Sokal and Michener ' +
          '1958) by the Jaccard index of their memories, until no two clusters reach 0.25. Nothing is stored.',
        body: Body,
        response: { 200: dataOf(ClustersSchema, 'The clusters.'), ...errorResponses },
      },
    },
    async ({ user, body }) => {
      const found = await clusters.cluster(user, body.minClusterSize ?? clusterSizeDefault);
      const data = found.clusters.map(({ topics, ...cluster }) => ({
        id: topics[0]?.id ?? '',
        name: topics[0]?.name ?? '',
        topics: topics.map(toTopicRecord),
        ...cluster,
      }));
      return { data: { clusters: data, clusterCount: found.clusterCount } };
    },
  );
};
