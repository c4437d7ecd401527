import { groupings } from '../../../domain/patterns/analyze-patterns.ts';
import { type Pattern, patternLengthMax } from '../../../domain/patterns/pattern.ts';
import {
  type CompiledPatterns,
  compileDefaults,
  type DetectedPatterns,
  detectDefaults,
  maxResultsMax,
} from '../../../domain/patterns/pattern-detection.ts';
import { toIso } from '../../../domain/shared/time.ts';
import { keyedAct } from '../../keyed-act.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { bodyOf, dataOf, pageOf } from '../../schemas/envelope.ts';
import { toListPage, toPagination } from '../../schemas/pagination.ts';
import { PatternSchema, readForPatterns, toPatternRecord } from '../../schemas/pattern.ts';
import {
  cursorQuery,
  idParams,
  jsonObject,
  oneOf,
  recordId,
  share,
  timeText,
  windowText,
} from '../../schemas/query.ts';
import { sampleIds } from '../../schemas/samples.ts';
import { compileInstructions, getBehaviorState, updateBehaviorState } from './instructions.ts';

const listPatterns: Route = (app, { patterns }) =>
  app.get(
    '/api/patterns',
    {
      schema: {
        operationId: 'listPatterns',
        tags: ['Patterns'],
        summary: 'List patterns',
        description:
          'What recurs in memories, as last compiled: the surest first. A pattern is listed while a live memory shows it, ' +
          'or once a person edited it.',
        querystring: Type.Object(cursorQuery),
        response: {
          200: pageOf(PatternSchema, 'One page of patterns, and the number of all.'),
        },
      },
    },
    async (request) => {
      const page = await patterns.list(request.user, toListPage(request));
      return { data: page.items.map(toPatternRecord), pagination: toPagination(page, request) };
    },
  );

const UpdateBody = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: patternLengthMax.name })),
    description: Type.Optional(Type.String({ maxLength: patternLengthMax.description })),
    confidence: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1, description: 'Feedback moves it from here.' }),
    ),
    metadata: Type.Optional(jsonObject('Replaces all metadata; at most 16 KiB as JSON.')),
    active: Type.Optional(Type.Boolean({ description: 'False: it gives no instructions.' })),
  },
  { examples: [{ description: 'Prefers pnpm, in every repository', confidence: 0.9 }] },
);

const updatePattern: Route = (app, { patterns }) =>
  app.patch(
    '/api/patterns/:id',
    {
      schema: {
        operationId: 'updatePattern',
        tags: ['Patterns'],
        summary: 'Change a pattern',
        description:
          'Changes only the fields that the body names; later detections leave what was changed here. A pattern that was ' +
          'edited stays when its memories are deleted.',
        params: idParams,
        body: UpdateBody,
        response: { 200: dataOf(PatternSchema, 'The pattern as it is now.') },
      },
    },
    async ({ user, params, body }) => ({
      data: toPatternRecord(await patterns.update(user, params.id, body)),
    }),
  );

const DetectBody = Type.Optional(
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

const DetectedSchema = Type.Object({
  detectedPatterns: Type.Array(PatternSchema, {
    description: 'The surest first. One that is not stored has an id of this response alone.',
  }),
  count: Type.Integer(),
  stored: Type.Integer({ description: 'How many of them were stored.' }),
  confidence: Type.Object({ average: share, highest: share }, { description: '0 where none was found.' }),
  ...readForPatterns,
});

function toDetectedBody({ patterns, ...read }: DetectedPatterns) {
  const sum = patterns.reduce((total, { confidence }) => total + confidence, 0);
  const confidence = {
    average: patterns.length === 0 ? 0 : sum / patterns.length,
    highest: patterns.reduce((most, { confidence: own }) => Math.max(most, own), 0),
  };
  const detectedPatterns = patterns.map(toPatternRecord);
  return { data: { detectedPatterns, count: patterns.length, confidence, ...read } };
}

const detectPatterns: Route = (app, { patternDetection }) =>
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
        body: DetectBody,
        response: { 200: dataOf(DetectedSchema, 'What was found.') },
      },
    },
    async (request, reply) => {
      const act = keyedAct<DetectedPatterns>(request, reply, 200, (done) => ({ body: toDetectedBody(done) }));
      return toDetectedBody(await patternDetection.detect(request.user, request.body ?? {}, act));
    },
  );

const CompileBody = Type.Optional(
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

const toCompiledBody = ({ patterns, ...read }: CompiledPatterns) => ({
  data: patterns.map(toPatternRecord),
  count: patterns.length,
  ...read,
});

const compilePatterns: Route = (app, { patternDetection }) =>
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
        body: CompileBody,
        response: {
          200: bodyOf('The patterns found, as stored now; the surest first.', {
            data: Type.Array(PatternSchema),
            count: Type.Integer(),
            ...readForPatterns,
          }),
        },
      },
    },
    async (request, reply) => {
      const act = keyedAct<CompiledPatterns>(request, reply, 200, (done) => ({ body: toCompiledBody(done) }));
      return toCompiledBody(await patternDetection.compile(request.user, request.body ?? {}, act));
    },
  );

const analysisDefaults = { timeRange: 30, groupBy: 'type', includeDetails: false } as const;
/** Maximum of patterns shown with details. */
const detailsMax = 100;

const AnalysisBody = Type.Optional(
  Type.Object(
    {
      timeRange: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 3650,
          default: analysisDefaults.timeRange,
          description: 'Days up to now.',
        }),
      ),
      groupBy: Type.Optional(oneOf(groupings, { default: analysisDefaults.groupBy })),
      includeDetails: Type.Optional(
        Type.Boolean({
          default: analysisDefaults.includeDetails,
          description: `The patterns too, at most ${detailsMax}.`,
        }),
      ),
    },
    { examples: [{ timeRange: 30, groupBy: 'type', includeDetails: false }] },
  ),
);

const TrendSchema = Type.Object({
  patterns: Type.Integer(),
  occurrences: Type.Integer({ description: 'Memories of the range that show one of them.' }),
  averageConfidence: Type.Number(),
  counts: Type.Array(Type.Integer(), { description: 'Of each period, the earliest first; ten at most.' }),
  slope: Type.Number({ description: 'Occurrences more each period, by the line of least squares.' }),
  direction: oneOf(['rising', 'steady', 'falling'], {
    description: 'Steady if the slope is at most a tenth of the mean count.',
  }),
});

const AnalysisSchema = Type.Object({
  analysis: Type.Object({
    totalPatterns: Type.Integer(),
    recentPatterns: Type.Integer({ description: 'Seen within the range.' }),
    trends: Type.Record(Type.String(), TrendSchema, { description: 'By group, the 100 largest.' }),
    periodDays: Type.Number(),
    insights: Type.Array(Type.String()),
    recommendations: Type.Array(Type.String()),
    patterns: Type.Optional(Type.Array(PatternSchema)),
  }),
  timeRange: Type.Integer(),
  analyzedAt: Type.String(),
});

const analyzePatterns: Route = (app, { patterns, clock }) =>
  app.post(
    '/api/patterns/analyze',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'analyzePatterns',
        tags: ['Patterns'],
        summary: 'Show trends of patterns',
        description:
          'How often the patterns of each group were seen in each period of the range, and its trend.',
        body: AnalysisBody,
        response: { 200: dataOf(AnalysisSchema, 'The analysis.') },
      },
    },
    async ({ user, body }) => {
      const { timeRange, groupBy, includeDetails } = { ...analysisDefaults, ...body };
      const shown = includeDetails ? detailsMax : 0;
      const found = await patterns.analyze(user, { days: timeRange, groupBy, shown });
      const { trends, insights, recommendations, ...counts } = found.analysis;
      return {
        data: {
          analysis: {
            ...counts,
            trends: Object.fromEntries(
              Object.entries(trends).map(([group, trend]) => [
                group,
                { ...trend, counts: [...trend.counts] },
              ]),
            ),
            insights: [...insights],
            recommendations: [...recommendations],
            ...(includeDetails && { patterns: found.patterns.map(toPatternRecord) }),
          },
          timeRange,
          analyzedAt: toIso(clock.now()),
        },
      };
    },
  );

const FeedbackBody = Type.Object(
  {
    patternId: recordId('The pattern.'),
    feedback: Type.String({
      minLength: 1,
      maxLength: patternLengthMax.feedback,
      description:
        '`positive`, `negative`, `neutral`, or words of your own: those that deny ("no", "not", "wrong") count as ' +
        'negative, else those that agree ("yes", "helpful") as positive, all others as neutral.',
    }),
    takeBack: Type.Optional(
      Type.Boolean({ default: false, description: 'Takes one such feedback back, if there is one.' }),
    ),
  },
  { examples: [{ patternId: sampleIds.pattern, feedback: 'positive' }] },
);

const toPatternBody = (pattern: Pattern) => ({ data: toPatternRecord(pattern) });

const givePatternFeedback: Route = (app, { patterns }) =>
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
        body: FeedbackBody,
        response: { 200: dataOf(PatternSchema, 'The pattern as it is now.') },
      },
    },
    async (request, reply) => {
      const { patternId, feedback: text, takeBack: isTakenBack } = request.body;
      const act = keyedAct<Pattern>(request, reply, 200, (done) => ({ body: toPatternBody(done) }));
      return toPatternBody(await patterns.feedback(request.user, patternId, { text, isTakenBack }, act));
    },
  );

export const patternRoutes: readonly Route[] = [
  listPatterns,
  updatePattern,
  detectPatterns,
  compilePatterns,
  compileInstructions,
  analyzePatterns,
  givePatternFeedback,
  getBehaviorState,
  updateBehaviorState,
];
