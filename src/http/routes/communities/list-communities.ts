import { toPageRequest } from '../../../domain/shared/page.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { CommunitySchema, toCommunityRecord } from '../../schemas/community.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { toPagination } from '../../schemas/pagination.ts';
import { pageQuery } from '../../schemas/query.ts';

export const listCommunities: Route = (app, { communities }) => {
  app.get(
    '/api/topics/communities',
    {
      schema: {
        operationId: 'listCommunities',
        tags: ['Topics'],
        summary: 'List communities of topics',
        description: 'As last detected, and merged since; the largest first.',
        querystring: Type.Object(pageQuery),
        response: {
          200: Type.Object(
            { data: Type.Array(CommunitySchema), pagination: Type.Ref('Pagination') },
            { description: 'One page of communities, and the number of all.' },
          ),
          ...errorResponses,
        },
      },
    },
    async ({ user, query }) => {
      const page = await communities.list(user, toPageRequest(query));
      return { data: page.items.map(toCommunityRecord), pagination: toPagination(page) };
    },
  );
};
