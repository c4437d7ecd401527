import { type Pattern, patternLengthMax } from '../../../domain/patterns/pattern.ts';
import { keyedAct } from '../../keyed-act.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { dataOf, errorResponses } from '../../schemas/envelope.ts';
import { PatternSchema, toPatternRecord } from '../../schemas/pattern.ts';
import { recordId } from '../../schemas/query.ts';
import { sampleIds } from '../../schemas/samples.ts';

const Body = Type.Object(
  {
    patternId: recordId('The pattern.'),
    feedback: Type.String({
      minLength: 1,
      maxLength: patternLengthMax.feedback,
      description:
        '`positive`, `negative`, `neutral`, or words of your own: those that deny ("no", "not", "wrong") count as ' +
        'negative, else those that agree ("yes", "helpful") as positive, all others as neutral.',
    }),
  },
  { examples: [{ patternId: sampleIds.pattern, feedback: 'positive' }] },
);

const toBody = (pattern: Pattern) => ({ data: toPatternRecord(pattern) });

export const givePatternFeedback: Route = (app, { patterns }) => {
  app.post(
    '/api/patterns/feedback',
    {
      schema: {
        operationId: 'recordPatternFeedback',
        tags: ['Patterns'],
        summary: 'Say whether a pattern is true',
        description:
          'Moves its confidence: (2 x confidence as detected or set + positives) / (2 + positives + negatives). ' +
          'Words of your own are kept with the pattern.',
        body: Body,
        response: { 200: dataOf(PatternSchema, 'The pattern as it is now.'), ...errorResponses },
      },
    },
    async (request, reply) => {
      const { patternId, feedback } = request.body;
      const act = keyedAct<Pattern>(request, reply, 200, (done) => ({ body: toBody(done) }));
      return toBody(await patterns.feedback(request.user, patternId, feedback, act));
    },
  );
};
