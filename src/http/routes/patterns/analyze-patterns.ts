import { groupings } from '../../../domain/patterns/analyze-patterns.ts';
import { toIso } from '../../../domain/shared/time.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { dataOf, errorResponses } from '../../schemas/envelope.ts';
import { PatternSchema, toPatternRecord } from '../../schemas/pattern.ts';
import { oneOf } from '../../schemas/query.ts';

const defaults = { timeRange: 30, groupBy: 'type' } as const;
/** Maximum of patterns shown with details. */
const detailsMax = 100;

const Body = Type.Optional(
  Type.Object(
    {
      timeRange: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 3650,
          default: defaults.timeRange,
          description: 'Days up to now.',
        }),
      ),
      groupBy: Type.Optional(oneOf(groupings, { default: defaults.groupBy })),
      includeDetails: Type.Optional(
        Type.Boolean({ default: false, description: `The patterns too, at most ${detailsMax}.` }),
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
    description: 'Steady where the slope is at most a tenth of the mean count.',
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

export const analyzePatterns: Route = (app, { patterns, clock }) => {
  app.post(
    '/api/patterns/analyze',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'analyzePatterns',
        tags: ['Patterns'],
        summary: 'See how patterns went over time',
        description:
          'How often the patterns of each group were seen in each period of the range, and where that goes.',
        body: Body,
        response: { 200: dataOf(AnalysisSchema, 'The analysis.'), ...errorResponses },
      },
    },
    async ({ user, body }) => {
      const {
        timeRange = defaults.timeRange,
        groupBy = defaults.groupBy,
        includeDetails = false,
      } = body ?? {};
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
};
