import type { Static } from 'typebox';
import { type Community, communityAlgorithms } from '../../domain/communities/community.ts';
import type { CommunityDetection } from '../../domain/communities/community-service.ts';
import { clusterSizeDefault } from '../../domain/graph/cluster-service.ts';
import { toIso } from '../../domain/shared/time.ts';
import { keyedAct } from '../keyed-act.ts';
import { type Route, Type } from '../route-plugin.ts';
import { component } from '../schemas/component.ts';
import { dataOf, pageOf } from '../schemas/envelope.ts';
import { toListPage, toPagination } from '../schemas/pagination.ts';
import { cursorQuery, idParams, oneOf, recordId } from '../schemas/query.ts';
import { TopicSchema, toTopicRecord } from '../schemas/records.ts';
import { sampleIds } from '../schemas/samples.ts';

const CommunitySchema = Type.Object(
  {
    id: Type.String({ examples: [sampleIds.community] }),
    name: Type.String({ description: 'Its strongest topics.' }),
    description: Type.String(),
    topicCount: Type.Integer({ minimum: 0 }),
    algorithm: oneOf(communityAlgorithms, { description: 'What found it.' }),
    createdAt: Type.String(),
    updatedAt: Type.String({ description: 'When its topics changed.' }),
  },
  component('Community'),
);

function toCommunityRecord(community: Community): Static<typeof CommunitySchema> {
  const { createdAt, updatedAt, ...fields } = community;
  return { ...fields, createdAt: toIso(createdAt), updatedAt: toIso(updatedAt) };
}

const listCommunities: Route = (app, { communities }) =>
  app.get(
    '/api/topics/communities',
    {
      schema: {
        operationId: 'listCommunities',
        tags: ['Topics'],
        summary: 'List communities of topics',
        description: 'As last detected, and merged since; the largest first.',
        querystring: Type.Object(cursorQuery),
        response: {
          200: pageOf(CommunitySchema, 'One page of communities, and the number of all.'),
        },
      },
    },
    async (request) => {
      const page = await communities.list(request.user, toListPage(request));
      return { data: page.items.map(toCommunityRecord), pagination: toPagination(page, request) };
    },
  );

const CommunityWithTopicsSchema = Type.Object(
  {
    ...CommunitySchema.properties,
    topics: Type.Array(TopicSchema, { description: 'The strongest first, at most 1,000.' }),
  },
  component('CommunityWithTopics'),
);

const getCommunity: Route = (app, { communities }) =>
  app.get(
    '/api/topics/communities/:id',
    {
      schema: {
        operationId: 'getCommunity',
        tags: ['Topics'],
        summary: 'Get a community of topics',
        description: 'With its topics; by its id or that of a community merged into it.',
        params: idParams,
        response: { 200: dataOf(CommunityWithTopicsSchema, 'The community.') },
      },
    },
    async ({ user, params }) => {
      const { community, topics } = await communities.get(user, params.id);
      return { data: { ...toCommunityRecord(community), topics: topics.map(toTopicRecord) } };
    },
  );

const MergeBody = Type.Object(
  {
    sourceCommunityId: recordId('The community to merge.'),
    targetCommunityId: recordId('The community that then shows the topics of both.'),
  },
  { examples: [{ sourceCommunityId: sampleIds.otherCommunity, targetCommunityId: sampleIds.community }] },
);

const toCommunityBody = (community: Community) => ({ data: toCommunityRecord(community) });

const mergeCommunities: Route = (app, { communities }) =>
  app.post(
    '/api/topics/communities/merge',
    {
      schema: {
        operationId: 'mergeCommunities',
        tags: ['Topics'],
        summary: 'Merge two communities of topics',
        description:
          'The target shows the topics of both from now on, over later detections too; the id of the source means the ' +
          'target. The merge is in the trash list and can be undone there.',
        body: MergeBody,
        response: { 200: dataOf(CommunitySchema, 'The community that stays.') },
      },
    },
    async (request, reply) => {
      const { sourceCommunityId, targetCommunityId } = request.body;
      const act = keyedAct<Community>(request, reply, 200, (done) => ({ body: toCommunityBody(done) }));
      return toCommunityBody(
        await communities.merge(request.user, sourceCommunityId, targetCommunityId, act),
      );
    },
  );

const algorithmDefault = 'louvain';

const DetectBody = Type.Object(
  {
    algorithm: Type.Optional(
      oneOf(communityAlgorithms, {
        default: algorithmDefault,
        description: 'louvain: Blondel et al. 2008; label-propagation: Raghavan et al. 2007.',
      }),
    ),
  },
  { examples: [{ algorithm: 'louvain' }] },
);

const DetectionSchema = Type.Object(
  {
    communities: Type.Array(CommunitySchema, { description: 'The largest first, at most 1,000.' }),
    communityCount: Type.Integer({ description: 'All communities.' }),
    algorithm: oneOf(communityAlgorithms),
    leftOut: Type.Object(
      {
        topics: Type.Integer({ description: 'The least frequent, beyond 10,000.' }),
        edges: Type.Integer({ description: 'The weakest pairs of topics, beyond 200,000.' }),
        pairs: Type.Integer({ description: 'Pairs of topics on a memory, beyond 5,000,000.' }),
        olderMemories: Type.Boolean({
          description: 'Whether there are older memories than those with the first 1,000,000 topics.',
        }),
      },
      { description: 'What the bounds of a detection cut off.' },
    ),
  },
  component('CommunityDetection'),
);

const toDetectionBody = ({ communities, communityCount, algorithm, leftOut }: CommunityDetection) => ({
  data: { communities: communities.map(toCommunityRecord), communityCount, algorithm, leftOut },
});

const detectCommunities: Route = (app, { communities }) =>
  app.post(
    '/api/topics/detect-communities',
    {
      schema: {
        operationId: 'detectCommunities',
        tags: ['Topics'],
        summary: 'Detect communities of topics',
        description:
          'Finds topics that tend to be on the same memories, and stores them in place of the last detection. A ' +
          'community keeps its id where it has the most in common with one that there was; merges are kept. The same ' +
          'memories give the same communities.',
        body: DetectBody,
        response: { 200: dataOf(DetectionSchema, 'The communities.') },
      },
    },
    async (request, reply) => {
      const { algorithm = algorithmDefault } = request.body;
      const act = keyedAct<CommunityDetection>(request, reply, 200, (done) => ({
        body: toDetectionBody(done),
      }));
      return toDetectionBody(await communities.detect(request.user, algorithm, act));
    },
  );

const ClusterBody = Type.Object(
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

const clusterTopics: Route = (app, { clusters }) =>
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
        body: ClusterBody,
        response: { 200: dataOf(ClustersSchema, 'The clusters.') },
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

export const communityRoutes: readonly Route[] = [
  clusterTopics,
  listCommunities,
  getCommunity,
  mergeCommunities,
  detectCommunities,
];
