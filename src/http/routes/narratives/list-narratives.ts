import { narrativeStates } from '../../../domain/narratives/narrative.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { component } from '../../schemas/component.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { topicList, topicListRule } from '../../schemas/memory-filter.ts';
import { NarrativeSchema, narrativeBytesMax, toNarrativeRecord } from '../../schemas/narrative.ts';
import {
  fitPage,
  TruncatedMetaSchema,
  toListPage,
  toPagination,
  truncatedMeta,
} from '../../schemas/pagination.ts';
import { cursorQuery, oneOf } from '../../schemas/query.ts';

const Query = Type.Object({
  ...cursorQuery,
  state: Type.Optional(oneOf(narrativeStates, component('NarrativeState'))),
  topics: Type.Optional(
    Type.String({
      maxLength: 5000,
      description: `Comma-separated; threads with any of them. ${topicListRule}`,
    }),
  ),
});

export const listNarratives: Route = (app, { narratives, stores }) => {
  app.get(
    '/api/narratives',
    {
      schema: {
        operationId: 'listNarratives',
        tags: ['Narratives'],
        summary: 'List narratives',
        description: 'Threads of memories, the last changed first.',
        querystring: Query,
        response: {
          200: Type.Object(
            {
              data: Type.Array(NarrativeSchema),
              pagination: Type.Ref('Pagination'),
              meta: Type.Optional(TruncatedMetaSchema),
            },
            { description: 'One page of narratives, and the number of all that match.' },
          ),
          ...errorResponses,
        },
      },
    },
    async (request) => {
      const { user, query } = request;
      const topics = await topicList(stores.forUser(user).topics, query.topics);
      const all = await narratives.list(user, { ...toListPage(request), state: query.state, topics });
      const page = fitPage(all, narrativeBytesMax);
      return {
        data: page.items.map((narrative) => toNarrativeRecord(narrative, user)),
        pagination: toPagination(page, request),
        ...truncatedMeta(page),
      };
    },
  );
};
