import {
  minQualityThresholdDefault,
  prunedMax,
  recentDaysDefault,
} from '../../../domain/quality/quality-service.ts';
import { keyedAct } from '../../keyed-act.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { component } from '../../schemas/component.ts';
import { dataOf, errorResponses } from '../../schemas/envelope.ts';

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

export const pruneMemories: Route = (app, { quality }) => {
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
        response: { 200: dataOf(PrunedSchema, 'What was deleted, or would be.'), ...errorResponses },
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
};
