import { type Detected, detectDefaults, maxResultsMax } from '../../../domain/patterns/pattern-detection.ts';
import { keyedAct } from '../../keyed-act.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { dataOf, errorResponses } from '../../schemas/envelope.ts';
import { PatternSchema, readForPatterns, toPatternRecord } from '../../schemas/pattern.ts';
import { timeText } from '../../schemas/query.ts';

const Body = Type.Optional(
  Type.Object(
    {
      contextFilter: Type.Optional(
        Type.String({
          maxLength: 200,
          description: 'Only memories that have this text, or a topic of this name.',
        }),
      ),
      timeframeStart: Type.Optional(timeText('Only memories from then on.')),
      timeframeEnd: Type.Optional(timeText('Only memories until then; not before `timeframeStart`.')),
      minConfidence: Type.Optional(
        Type.Number({ minimum: 0, maximum: 1, default: detectDefaults.minConfidence }),
      ),
      maxResults: Type.Optional(
        Type.Integer({ minimum: 1, maximum: maxResultsMax, default: detectDefaults.maxResults }),
      ),
      autoStore: Type.Optional(
        Type.Boolean({ default: detectDefaults.autoStore, description: 'Store what was found.' }),
      ),
    },
    { examples: [{ minConfidence: 0.5, maxResults: 20, autoStore: false }] },
  ),
);

const share = Type.Number({ minimum: 0, maximum: 1 });

const DetectedSchema = Type.Object({
  detectedPatterns: Type.Array(PatternSchema, {
    description: 'The surest first. One that is not stored has an id of this response alone.',
  }),
  count: Type.Integer(),
  stored: Type.Integer({ description: 'How many of them were stored.' }),
  confidence: Type.Object({ average: share, highest: share }, { description: '0 where none was found.' }),
  ...readForPatterns,
});

function toBody({ patterns, ...read }: Detected) {
  const sum = patterns.reduce((total, { confidence }) => total + confidence, 0);
  const confidence = {
    average: patterns.length === 0 ? 0 : sum / patterns.length,
    highest: patterns.reduce((most, { confidence: own }) => Math.max(most, own), 0),
  };
  const detectedPatterns = patterns.map(toPatternRecord);
  return { data: { detectedPatterns, count: patterns.length, confidence, ...read } };
}

export const detectPatterns: Route = (app, { patternDetection }) => {
  app.post(
    '/api/patterns/detect',
    {
      schema: {
        operationId: 'detectPatterns',
        tags: ['Patterns'],
        summary: 'Find what recurs in memories',
        description:
          'Preferences, rules, corrections, habits, tools, sequences of work and times of day or week, by rules without a ' +
          'language model; docs/patterns.md has them, and how confidence is computed. The same memories give the same ' +
          'patterns.',
        body: Body,
        response: { 200: dataOf(DetectedSchema, 'What was found.'), ...errorResponses },
      },
    },
    async (request, reply) => {
      const act = keyedAct<Detected>(request, reply, 200, (done) => ({ body: toBody(done) }));
      return toBody(await patternDetection.detect(request.user, request.body ?? {}, act));
    },
  );
};
