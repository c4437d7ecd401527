import { patternLengthMax } from '../../../domain/patterns/pattern.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { dataOf, errorResponses } from '../../schemas/envelope.ts';
import { PatternSchema, toPatternRecord } from '../../schemas/pattern.ts';
import { idParams } from '../../schemas/query.ts';

const Body = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: patternLengthMax.name })),
    description: Type.Optional(Type.String({ maxLength: patternLengthMax.description })),
    confidence: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1, description: 'Feedback moves it from here.' }),
    ),
    metadata: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        additionalProperties: true,
        description: 'Replaces all metadata; at most 16 KiB as JSON.',
      }),
    ),
    active: Type.Optional(Type.Boolean({ description: 'False: it gives no instructions.' })),
  },
  { examples: [{ description: 'Prefers pnpm, in every repository', confidence: 0.9 }] },
);

export const updatePattern: Route = (app, { patterns }) => {
  app.patch(
    '/api/patterns/:id',
    {
      schema: {
        operationId: 'updatePattern',
        tags: ['Patterns'],
        summary: 'Change a pattern',
        description:
          'Changes what the body names and nothing else; later detections leave what was changed here. A pattern that was ' +
          'edited stays when its memories are deleted.',
        params: idParams,
        body: Body,
        response: { 200: dataOf(PatternSchema, 'The pattern as it is now.'), ...errorResponses },
      },
    },
    async ({ user, params, body }) => ({
      data: toPatternRecord(await patterns.update(user, params.id, body)),
    }),
  );
};
