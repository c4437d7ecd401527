import { llmStates } from '../../../domain/derivation/llm-server.ts';
import { encoderStates } from '../../../domain/embedding/embedder.ts';
import { toIso } from '../../../domain/shared/time.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { component } from '../../schemas/component.ts';
import { dataOf } from '../../schemas/envelope.ts';
import { oneOf } from '../../schemas/query.ts';
import { readOnlyState } from '../public/public.ts';
import { listJobs, retryJob } from './jobs.ts';
import { memoryQuality, pruneMemories } from './memory-quality.ts';

const ComponentSchema = Type.Object(
  {
    status: Type.String(),
    responseTime: Type.Optional(Type.Number()),
    detail: Type.Optional(Type.String()),
  },
  component('HealthComponent'),
);

const HealthSchema = Type.Object(
  {
    status: Type.String({
      description: 'healthy, degraded (a model is missing or does not respond) or unhealthy',
    }),
    database: Type.Object({
      status: Type.String(),
      engine: Type.String(),
      responseTime: Type.Number(),
      ...readOnlyState,
    }),
    components: Type.Record(Type.String(), ComponentSchema),
    uptime: Type.Number({ description: 'Seconds since the start.' }),
    version: Type.String(),
  },
  component('SystemHealth'),
);

const systemHealth: Route = (app, { system }) =>
  app.get(
    '/api/system/health',
    {
      schema: {
        operationId: 'getSystemHealth',
        tags: ['System'],
        summary: 'Show the health of the service',
        description: 'With the state of store, search and embedding model.',
        response: {
          200: dataOf(
            HealthSchema,
            'The store responds; `degraded` if a model is missing or does not respond.',
          ),
          503: dataOf(
            HealthSchema,
            'The store does not respond; the body is the same. An overloaded or stopping service sends an error.',
          ),
        },
      },
    },
    async (_, reply) => {
      const store = await system.checkStore();
      const healthy = store.status === 'up';
      const status = healthy ? 'healthy' : 'unhealthy';
      const embedder = system.checkEmbedder();
      return reply.code(healthy ? 200 : 503).send({
        data: {
          status: healthy && embedder?.status === 'down' ? 'degraded' : status,
          database: { ...store, engine: system.probe.engine },
          components: {
            store: { status, responseTime: store.responseTime },
            search: { status: embedder?.status === 'down' ? 'degraded' : 'healthy' },
            ...(embedder && {
              embedder: { ...embedder, status: embedder.status === 'up' ? 'healthy' : 'unhealthy' },
            }),
          },
          uptime: system.uptimeSeconds(),
          version: system.version,
        },
      });
    },
  );

const ContextStatusSchema = Type.Object(
  {
    memories: Type.Integer(),
    conversations: Type.Integer(),
    topics: Type.Integer({
      description: 'May be up to a minute old if counting is slow (100,000 topics).',
    }),
    database: Type.Object({ engine: Type.String() }),
    searchIndex: Type.Object({
      rebuild: Type.Object(
        { state: Type.String(), done: Type.Integer(), total: Type.Integer() },
        { description: 'Rebuild of the keyword index for a newer analyser: idle, running or retrying.' },
      ),
    }),
    embedding: Type.Object({
      spaces: Type.Array(
        Type.Object({
          model: Type.String(),
          dimension: Type.Integer(),
          version: Type.String(),
          state: oneOf(['building', 'serving', 'dropping']),
          done: Type.Integer({ description: 'Versions looked at while it is built, completed or emptied.' }),
          total: Type.Integer(),
          waiting: Type.Integer({ description: 'Versions of yours that wait for the model.' }),
          failed: Type.Integer({ description: 'Versions of yours given up after three tries.' }),
        }),
        { description: 'Vector spaces; none where semantic search is off.' },
      ),
      server: Type.Optional(
        Type.Object(
          {
            model: Type.String(),
            state: oneOf(['unknown', 'ok', 'failing', 'open'], {
              description:
                '`open`: it failed again and again, and is only probed until it responds (circuit breaker).',
            }),
            reason: Type.Optional(Type.String({ description: 'Of the last failure.' })),
          },
          { description: 'The server that embeds; absent where none does.' },
        ),
      ),
      encoder: Type.Optional(
        Type.Object(
          {
            model: Type.String(),
            state: oneOf(encoderStates, {
              description:
                '`unknown`: it had no text yet; `failing`: searches answer by words, or by the static model where both serve; `missing`: it cannot run on this ' +
                'machine, so that the static model serves alone.',
            }),
            reason: Type.Optional(Type.String({ description: 'Why it fails or is missing.' })),
          },
          {
            description:
              'The encoder that runs in the process; absent unless `MEMORYD_EMBEDDER` is `bundled` or `onnx`.',
          },
        ),
      ),
    }),
    llm: Type.Optional(
      Type.Object(
        {
          model: Type.String(),
          state: oneOf(llmStates, {
            description:
              '`failing`: the last request failed; `paused`: the tokens of the day are used up. What the rules ' +
              'derive stands either way; the steps `propose` and `propose-edges` of `jobs` say what waits for the LLM.',
          }),
          reason: Type.Optional(Type.String({ description: 'Of the last failure.' })),
        },
        { description: 'The LLM that proposes what the rules missed; absent where none is configured.' },
      ),
    ),
    jobs: Type.Array(
      Type.Object({
        step: Type.String(),
        waiting: Type.Integer({
          description: 'Versions of your memories to do, those that failed before included.',
        }),
        failed: Type.Integer({ description: 'Of those, how many failed and are tried again.' }),
        parked: Type.Integer({
          description:
            'Given up after three tries, until they are retried (`POST /api/system/jobs/{id}/retry`) or an operator releases them.',
        }),
        lastError: Type.Optional(Type.String({ description: 'Code of the last error.' })),
      }),
      {
        description:
          'Steps that your memories still go through after they are written; none where all is done.',
      },
    ),
    webhooks: Type.Object(
      {
        waiting: Type.Integer({ description: 'To be sent, or sent again.' }),
        dead: Type.Integer({ description: 'Dead letters, until they are redelivered.' }),
        waitingSince: Type.Optional(Type.String({ description: 'When the oldest that waits was made.' })),
      },
      { description: 'Messages of your webhooks that did not arrive.' },
    ),
    background: Type.Array(
      Type.Object({
        task: Type.String(),
        failures: Type.Integer({
          description: 'Since this process started; each was logged or counted with others.',
        }),
        lastFailedAt: Type.String(),
      }),
      { description: 'Work in the background that failed and is tried again; none where all went well.' },
    ),
    generatedAt: Type.String(),
  },
  component('ContextStatus'),
);

const contextStatus: Route = (app, { system }) =>
  app.get(
    '/api/system/context/status',
    {
      schema: {
        operationId: 'getContextStatus',
        tags: ['System'],
        summary: 'Show what is stored and what is still being worked on',
        description:
          'Numbers of the user, vector spaces, and background work that failed. Sizes and queues of the whole ' +
          'service are in /metrics.',
        response: {
          200: dataOf(ContextStatusSchema, 'The state of the store for this user.'),
        },
      },
    },
    async (request) => ({ data: await system.contextStatus(request.user) }),
  );

const FlagValue = Type.Unsafe<boolean | number | string>({ type: ['boolean', 'number', 'string'] });

const featureFlags: Route = (app, { system }) =>
  app.get(
    '/api/system/feature-flags',
    {
      schema: {
        operationId: 'listFeatureFlags',
        tags: ['System'],
        summary: 'List feature flags',
        description: 'As the settings of the process have them.',
        response: {
          200: dataOf(Type.Record(Type.String(), FlagValue), 'Each switch with its value.'),
        },
      },
    },
    async () => ({ data: { ...system.flags() } }),
  );

const evaluateFlag: Route = (app, { system, clock }) =>
  app.post(
    '/api/system/feature-flags/evaluate',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'evaluateFeatureFlag',
        tags: ['System'],
        summary: 'Evaluate a feature flag',
        description:
          'Whether one switch is on; one that does not exist is off. `context` is accepted and not used.',
        body: Type.Object(
          {
            flagName: Type.String({ minLength: 1, maxLength: 200 }),
            context: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
          },
          { examples: [{ flagName: 'conversationRanking' }] },
        ),
        response: {
          200: dataOf(
            Type.Object({ flagName: Type.String(), enabled: Type.Boolean(), evaluatedAt: Type.String() }),
            'Whether it is on.',
          ),
        },
      },
    },
    async ({ body: { flagName } }) => ({
      data: { flagName, enabled: system.isEnabled(flagName), evaluatedAt: toIso(clock.now()) },
    }),
  );

export const systemRoutes: readonly Route[] = [
  systemHealth,
  contextStatus,
  featureFlags,
  evaluateFlag,
  memoryQuality,
  pruneMemories,
  listJobs,
  retryJob,
];
