import { entityNameMax } from '../../../domain/entities/entity.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { EntityNodeSchema, entityTypeField, toEntityRecord } from '../../schemas/entity.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { toListPage, toPagination } from '../../schemas/pagination.ts';
import { cursorQuery } from '../../schemas/query.ts';

const Query = Type.Object({
  ...cursorQuery,
  type: Type.Optional(entityTypeField),
  query: Type.Optional(
    Type.String({
      maxLength: entityNameMax,
      description: 'A part of one of its names, compared without case and accents.',
    }),
  ),
});

export const listEntities: Route = (app, { entities }) => {
  app.get(
    '/api/entities',
    {
      schema: {
        operationId: 'listEntities',
        tags: ['Entities'],
        summary: 'List entities',
        description:
          'People, organisations, projects, places and the like that memories mention: those of the most memories ' +
          'first, then by name.',
        querystring: Query,
        response: {
          200: Type.Object(
            { data: Type.Array(EntityNodeSchema), pagination: Type.Ref('Pagination') },
            { description: 'One page of entities.' },
          ),
          ...errorResponses,
        },
      },
    },
    async (request) => {
      const { user, query } = request;
      const { type, query: name } = query;
      const page = await entities.list(user, { ...toListPage(request), type, name });
      return {
        data: page.items.map((entity) => toEntityRecord(entity, user)),
        pagination: toPagination(page, request),
      };
    },
  );
};
