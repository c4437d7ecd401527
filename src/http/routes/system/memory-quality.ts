import type { Static } from 'typebox';
import {
  detailsMax,
  minQualityThresholdDefault,
  type QualityReport,
} from '../../../domain/quality/quality-service.ts';
import { toIso } from '../../../domain/shared/time.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { component } from '../../schemas/component.ts';
import { dataOf, errorResponses } from '../../schemas/envelope.ts';

const share = Type.Number({ minimum: 0, maximum: 1 });

const Query = Type.Object({
  includeDetails: Type.Optional(
    Type.Boolean({ default: false, description: `Names the ${detailsMax} worst candidates for pruning.` }),
  ),
  minQualityThreshold: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      default: minQualityThresholdDefault,
      description: 'Memories below it are candidates.',
    }),
  ),
});

const CandidateSchema = Type.Object(
  {
    memoryId: Type.String(),
    score: share,
    createdAt: Type.String(),
    parts: Type.Object({
      informationDensity: share,
      freshness: share,
      use: share,
      connections: share,
      confidence: share,
      statePenalty: share,
    }),
  },
  component('QualityCandidate'),
);

const QualitySchema = Type.Object(
  {
    totalMemories: Type.Integer(),
    qualityDistribution: Type.Object({
      high: Type.Integer({ description: '.7 and more.' }),
      medium: Type.Integer({ description: '.4 and more.' }),
      low: Type.Integer(),
    }),
    averageQuality: share,
    pruningCandidates: Type.Integer({
      description: 'Memories that a prune with this threshold and its defaults would take.',
    }),
    candidates: Type.Optional(
      Type.Array(CandidateSchema, { description: 'With includeDetails, the worst first.' }),
    ),
  },
  component('MemoryQuality'),
);

export type QualityRecord = Static<typeof QualitySchema>;

export const memoryQuality: Route = (app, { quality }) => {
  app.get(
    '/api/system/memory/quality',
    {
      schema: {
        operationId: 'getMemoryQuality',
        tags: ['System'],
        summary: 'Show the quality of the memories',
        description:
          "Of the user's live memories. The score is a sum of named parts: information density (.4), freshness, use by " +
          'search feedback, connections, confidence (.15 each), less what a superseded (.3), contradicted (.2) or ' +
          'duplicate (.4) state takes off. docs/quality.md explains each.',
        querystring: Query,
        response: {
          200: dataOf(QualitySchema, 'Numbers, and candidates where asked for.'),
          ...errorResponses,
        },
      },
    },
    async ({ user, query }) => {
      const threshold = query.minQualityThreshold ?? minQualityThresholdDefault;
      const report = await quality.report(user, threshold);
      return {
        data: {
          totalMemories: report.totalMemories,
          qualityDistribution: report.distribution,
          averageQuality: report.averageQuality,
          pruningCandidates: report.candidates.length,
          ...(query.includeDetails && { candidates: toCandidates(report) }),
        },
      };
    },
  );
};

function toCandidates({ candidates }: QualityReport) {
  return candidates.slice(0, detailsMax).map(({ id, score, createdAt, parts }) => ({
    memoryId: id,
    score,
    createdAt: toIso(createdAt),
    parts,
  }));
}
