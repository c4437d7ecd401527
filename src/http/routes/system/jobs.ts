import type { Static } from 'typebox';
import { type Job, jobStates } from '../../../domain/jobs/job.ts';
import { pageLimitDefault } from '../../../domain/shared/page.ts';
import { toIso } from '../../../domain/shared/time.ts';
import { keyedAct } from '../../keyed-act.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { component } from '../../schemas/component.ts';
import { dataOf, pageOf } from '../../schemas/envelope.ts';
import { toListPage, toPagination } from '../../schemas/pagination.ts';
import { cursorQuery, idParams, limitUpTo, oneOf } from '../../schemas/query.ts';
import { sampleIds } from '../../schemas/samples.ts';

const listedMax = 200;

const JobState = oneOf(jobStates, component('JobState'));

export const JobSchema = Type.Object(
  {
    id: Type.String({ examples: ['derive~3~17'] }),
    step: Type.String({
      description: 'What is to be done, as in `jobs` of `GET /api/system/context/status`.',
    }),
    state: JobState,
    memoryId: Type.String({ examples: [sampleIds.memory] }),
    conversationId: Type.String({ examples: [sampleIds.conversation] }),
    attempts: Type.Integer({ description: 'Failed tries.' }),
    lastError: Type.Optional(
      Type.String({ description: 'Code of the last error; its text is in the log of the service.' }),
    ),
    failedAt: Type.Optional(Type.String({ description: 'When the last try failed.' })),
    since: Type.String({ description: 'When the version of the memory was written that waits.' }),
  },
  component('Job'),
);

function toJobRecord({ failedAt, since, ...job }: Job): Static<typeof JobSchema> {
  return { ...job, failedAt: failedAt === undefined ? undefined : toIso(failedAt), since: toIso(since) };
}

export const listJobs: Route = (app, { userJobs }) =>
  app.get(
    '/api/system/jobs',
    {
      schema: {
        operationId: 'listJobs',
        tags: ['System'],
        summary: 'List what is still to be done for memories, and what failed',
        description:
          'One entry for each step of each version of a memory that is not done, the newest version first. A job that is ' +
          'done leaves the list. `waiting` is also before another try; `failed` was given up after three tries, until it is ' +
          'retried.',
        querystring: Type.Object({
          ...cursorQuery,
          limit: limitUpTo(listedMax, pageLimitDefault),
          state: Type.Optional(JobState),
          step: Type.Optional(Type.String({ minLength: 1, maxLength: 50, description: 'Only this step.' })),
        }),
        response: { 200: pageOf(JobSchema, 'One page of them.') },
      },
    },
    async (request) => {
      const { user, query } = request;
      const { state, step } = query;
      const page = await userJobs.list(user, { ...toListPage(request), state, step });
      return { data: page.items.map(toJobRecord), pagination: toPagination(page, request) };
    },
  );

export const retryJob: Route = (app, { userJobs }) =>
  app.post(
    '/api/system/jobs/:id/retry',
    {
      schema: {
        operationId: 'retryJob',
        tags: ['System'],
        summary: 'Try a job again',
        description:
          'With all its tries, within a second, also if it was given up or waits for another try. One that runs stays as it is.',
        params: idParams,
        response: { 200: dataOf(JobSchema, 'The job.') },
      },
    },
    async (request, reply) => {
      const toBody = (job: Job) => ({ data: toJobRecord(job) });
      const act = keyedAct<Job>(request, reply, 200, (job) => ({ body: toBody(job) }));
      return toBody(await userJobs.retry(request.user, request.params.id, act));
    },
  );
