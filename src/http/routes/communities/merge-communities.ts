import type { Community } from '../../../domain/communities/community.ts';
import { keyedAct } from '../../keyed-act.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { CommunitySchema, toCommunityRecord } from '../../schemas/community.ts';
import { dataOf, errorResponses } from '../../schemas/envelope.ts';
import { recordId } from '../../schemas/query.ts';
import { sampleIds } from '../../schemas/samples.ts';

const Body = Type.Object(
  {
    sourceCommunityId: recordId('The community to merge.'),
    targetCommunityId: recordId('The community that then shows the topics of both.'),
  },
  { examples: [{ sourceCommunityId: sampleIds.otherCommunity, targetCommunityId: sampleIds.community }] },
);

const toBody = (community: Community) => ({ data: toCommunityRecord(community) });

export const mergeCommunities: Route = (app, { communities }) => {
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
        body: Body,
        response: { 200: dataOf(CommunitySchema, 'The community that stays.'), ...errorResponses },
      },
    },
    async (request, reply) => {
      const { sourceCommunityId, targetCommunityId } = request.body;
      const act = keyedAct<Community>(request, reply, 200, (done) => ({ body: toBody(done) }));
      return toBody(await communities.merge(request.user, sourceCommunityId, targetCommunityId, act));
    },
  );
};
