import { type Compiled, compileDefaults } from '../../../domain/patterns/pattern-detection.ts';
import { keyedAct } from '../../keyed-act.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { PatternSchema, readForPatterns, toPatternRecord } from '../../schemas/pattern.ts';
import { windowText } from '../../schemas/query.ts';

const Body = Type.Optional(
  Type.Object(
    {
      minOccurrences: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 100,
          default: compileDefaults.minOccurrences,
          description: 'Memories that must show a pattern.',
        }),
      ),
      timeWindow: Type.Optional(
        windowText(`Only memories of this last time, such as 30d; ${compileDefaults.timeWindow} by default.`),
      ),
    },
    { examples: [{ minOccurrences: 1, timeWindow: '30d' }] },
  ),
);

const toBody = ({ patterns, ...read }: Compiled) => ({
  data: patterns.map(toPatternRecord),
  count: patterns.length,
  ...read,
});

export const compilePatterns: Route = (app, { patternDetection }) => {
  app.post(
    '/api/patterns/compile',
    {
      schema: {
        operationId: 'compilePatterns',
        tags: ['Patterns'],
        summary: 'Find what recurs in a time, and store it',
        description:
          'As detection, by how often a pattern was seen. One that is stored already gets what was seen since; what a ' +
          'person edited stays as it is.',
        body: Body,
        response: {
          200: Type.Object(
            { data: Type.Array(PatternSchema), count: Type.Integer(), ...readForPatterns },
            { description: 'The patterns found, as stored now; the surest first.' },
          ),
          ...errorResponses,
        },
      },
    },
    async (request, reply) => {
      const act = keyedAct<Compiled>(request, reply, 200, (done) => ({ body: toBody(done) }));
      return toBody(await patternDetection.compile(request.user, request.body ?? {}, act));
    },
  );
};
