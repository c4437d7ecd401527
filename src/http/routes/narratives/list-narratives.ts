import { narrativeStates } from '../../../domain/narratives/narrative.ts';
import { toPageRequest } from '../../../domain/shared/page.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { component } from '../../schemas/component.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { topicList, topicListRule } from '../../schemas/memory-filter.ts';
import { NarrativeSchema, narrativeBytesMax, toNarrativeRecord } from '../../schemas/narrative.ts';
import { fitPage, TruncatedMetaSchema, toPagination, truncatedMeta } from '../../schemas/pagination.ts';
import { oneOf, pageQuery } from '../../schemas/query.ts';

const Query = Type.Object({
  ...pageQuery,
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
    async ({ user, query }) => {
      const topics = await topicList(stores.forUser(user).topics, query.topics);
      const all = await narratives.list(user, { ...toPageRequest(query), state: query.state, topics });
      const page = fitPage(all, narrativeBytesMax);
      return {
        data: page.items.map((narrative) => toNarrativeRecord(narrative, user)),
        pagination: toPagination(page),
        ...truncatedMeta(page),
      };
    },
  );
};
