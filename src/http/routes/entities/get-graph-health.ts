import { type Route, Type } from '../../route-plugin.ts';
import { component } from '../../schemas/component.ts';
import { dataOf, errorResponses } from '../../schemas/envelope.ts';

const GraphHealthSchema = Type.Object(
  {
    totalMemories: Type.Integer(),
    totalEntities: Type.Integer(),
    totalFacts: Type.Integer({ description: 'Derived and stated.' }),
    totalTopics: Type.Integer({ description: 'Derived and given.' }),
    memoriesWithEntities: Type.Integer({ description: 'Memories that mention an entity.' }),
    entityCoverage: Type.Number({ description: 'Their share of all memories, 0-1.' }),
  },
  component('GraphHealth'),
);

export const getGraphHealth: Route = (app, { entities }) => {
  app.get(
    '/api/entities/health',
    {
      schema: {
        operationId: 'getGraphHealth',
        tags: ['Entities'],
        summary: 'Count what was derived',
        description: 'Without what only memories in the trash say.',
        response: { 200: dataOf(GraphHealthSchema, 'The counts.'), ...errorResponses },
      },
    },
    async ({ user }) => {
      const health = await entities.health(user);
      const { memories, memoriesWithEntities } = health;
      return {
        data: {
          totalMemories: memories,
          totalEntities: health.entities,
          totalFacts: health.facts,
          totalTopics: health.topics,
          memoriesWithEntities,
          entityCoverage: memories === 0 ? 0 : memoriesWithEntities / memories,
        },
      };
    },
  );
};
