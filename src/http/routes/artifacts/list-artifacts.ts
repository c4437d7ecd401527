import { type Route, Type } from '../../route-plugin.ts';
import { ArtifactSchema, toArtifactRecord } from '../../schemas/artifact.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { goesOn, TruncatedMetaSchema, toListPage, truncatedMeta } from '../../schemas/pagination.ts';
import { cursorQuery, recordId } from '../../schemas/query.ts';

const Query = Type.Object({
  ...cursorQuery,
  memoryId: Type.Optional(recordId('Only those that belong to this memory.')),
  conversationId: Type.Optional(recordId('Only those that belong to this conversation.')),
  type: Type.Optional(Type.String({ maxLength: 500, description: 'Only those of exactly this type.' })),
});

export const listArtifacts: Route = (app, { artifacts }) => {
  app.get(
    '/api/artifacts',
    {
      schema: {
        operationId: 'listArtifacts',
        tags: ['Artifacts'],
        summary: 'List artifacts',
        description: 'Newest first; filters by type, memory and conversation.',
        querystring: Query,
        response: {
          200: Type.Object(
            {
              data: Type.Array(ArtifactSchema),
              count: Type.Integer({ description: 'All that match, not only those on this page.' }),
              pagination: Type.Optional(Type.Ref('Pagination')),
              meta: Type.Optional(TruncatedMetaSchema),
            },
            { description: 'One page of artifacts, and the number of all that match.' },
          ),
          ...errorResponses,
        },
      },
    },
    async (request) => {
      const { user, query } = request;
      const { memoryId, conversationId, type } = query;
      const page = await artifacts.list(user, { ...toListPage(request), memoryId, conversationId, type });
      const data = page.items.map((artifact) => toArtifactRecord(artifact, user));
      return { data, count: page.count, ...goesOn(page, request), ...truncatedMeta(page) };
    },
  );
};
