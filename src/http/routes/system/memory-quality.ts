import type { Static } from 'typebox';
import {
  detailsMax,
  minQualityThresholdDefault,
  prunedMax,
  type QualityReport,
  recentDaysDefault,
} from '../../../domain/quality/quality-service.ts';
import { toIso } from '../../../domain/shared/time.ts';
import { keyedAct } from '../../keyed-act.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { component } from '../../schemas/component.ts';
import { dataOf } from '../../schemas/envelope.ts';
import { share } from '../../schemas/query.ts';

const Query = Type.Object({
  includeDetails: Type.Optional(
    Type.Boolean({ default: false, description: `Names the ${detailsMax} worst candidates for pruning.` }),
  ),
  fresh: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Judges the memories now. Else the result may be up to 10 minutes old if there are 5,000 and more.',
    }),
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
    generatedAt: Type.String({ description: 'When the memories were judged.' }),
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

export const memoryQuality: Route = (app, { quality }) =>
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
        },
      },
    },
    async ({ user, query }) => {
      const threshold = query.minQualityThreshold ?? minQualityThresholdDefault;
      const report = await quality.report(user, threshold, { isFresh: query.fresh });
      return {
        data: {
          generatedAt: toIso(report.at),
          totalMemories: report.totalMemories,
          qualityDistribution: report.distribution,
          averageQuality: report.averageQuality,
          pruningCandidates: report.prunable,
          ...(query.includeDetails && { candidates: toCandidates(report) }),
        },
      };
    },
  );

function toCandidates({ candidates }: QualityReport) {
  return candidates.map(({ id, score, createdAt, parts }) => ({
    memoryId: id,
    score,
    createdAt: toIso(createdAt),
    parts,
  }));
}

const daysMax = 36_500;

const Body = Type.Optional(
  Type.Object(
    {
      targetReduction: Type.Optional(
        Type.Integer({
          minimum: 0,
          description: `How many memories at most; all that qualify by default, ${prunedMax} a call.`,
        }),
      ),
      minQualityThreshold: Type.Optional(
        Type.Number({
          minimum: 0,
          maximum: 1,
          default: minQualityThresholdDefault,
          description: 'Only memories whose score is below it.',
        }),
      ),
      preserveRecent: Type.Optional(Type.Boolean({ default: true })),
      recentDaysToPreserve: Type.Optional(
        Type.Number({
          minimum: 0,
          maximum: daysMax,
          default: recentDaysDefault,
          description: 'With preserveRecent: memories written within so many days are left.',
        }),
      ),
      dryRun: Type.Optional(Type.Boolean({ default: false, description: 'Names them without deleting.' })),
    },
    { examples: [{ dryRun: true, minQualityThreshold: 0.3 }] },
  ),
);

const PrunedSchema = Type.Object(
  {
    prunedCount: Type.Integer(),
    prunedIds: Type.Array(Type.String(), { description: 'The worst first.' }),
    dryRun: Type.Boolean(),
  },
  component('PruneResult'),
);

export const pruneMemories: Route = (app, { quality }) =>
  app.post(
    '/api/system/memory/prune',
    {
      schema: {
        operationId: 'pruneMemories',
        tags: ['System'],
        summary: 'Move the memories of the lowest quality to the trash',
        description:
          'Exactly those that the same call with `dryRun` names, each as an entry of its own in the trash. Never a named ' +
          'memory or one of its versions, the root or resolution of a narrative, or a memory of preserved days.',
        body: Body,
        response: { 200: dataOf(PrunedSchema, 'What was deleted, or would be.') },
      },
    },
    async (request, reply) => {
      const { user, body } = request;
      const dryRun = body?.dryRun ?? false;
      const toBody = (ids: readonly string[]) => ({
        data: { prunedCount: ids.length, prunedIds: [...ids], dryRun },
      });
      const act = keyedAct<readonly string[]>(request, reply, 200, (ids) => ({ body: toBody(ids) }));
      const pruning = {
        targetReduction: body?.targetReduction,
        minQualityThreshold: body?.minQualityThreshold ?? minQualityThresholdDefault,
        preserveRecent: body?.preserveRecent ?? true,
        recentDaysToPreserve: body?.recentDaysToPreserve ?? recentDaysDefault,
        dryRun,
      };
      return toBody(await quality.prune(user, pruning, act));
    },
  );
