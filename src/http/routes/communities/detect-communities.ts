import type { CommunityDetection } from '../../../domain/communities/community-service.ts';
import { communityAlgorithms } from '../../../domain/graph/community-algorithm.ts';
import { keyedAct } from '../../keyed-act.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { CommunitySchema, toCommunityRecord } from '../../schemas/community.ts';
import { component } from '../../schemas/component.ts';
import { dataOf, errorResponses } from '../../schemas/envelope.ts';
import { oneOf } from '../../schemas/query.ts';

const algorithmDefault = 'louvain';

const Body = Type.Object(
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

const toBody = ({ communities, communityCount, algorithm, leftOut }: CommunityDetection) => ({
  data: { communities: communities.map(toCommunityRecord), communityCount, algorithm, leftOut },
});

export const detectCommunities: Route = (app, { communities }) => {
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
        body: Body,
        response: { 200: dataOf(DetectionSchema, 'The communities.'), ...errorResponses },
      },
    },
    async (request, reply) => {
      const { algorithm = algorithmDefault } = request.body;
      const act = keyedAct<CommunityDetection>(request, reply, 200, (done) => ({ body: toBody(done) }));
      return toBody(await communities.detect(request.user, algorithm, act));
    },
  );
};
