import type { FastifyRequest } from 'fastify';
import { AppError } from '../../../domain/shared/errors.ts';
import { toIso } from '../../../domain/shared/time.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { component } from '../../schemas/component.ts';
import { bodyOf, described } from '../../schemas/envelope.ts';
import { oneOf } from '../../schemas/query.ts';
import { explorer } from './explorer.ts';
import { home } from './home.ts';

const livez: Route = (app, { system }) =>
  app.get(
    '/livez',
    {
      config: { public: true, probe: true },
      schema: {
        operationId: 'getLiveness',
        tags: ['Public'],
        security: [],
        summary: 'Liveness probe: the process runs',
        description:
          'Liveness: never asks the store, so it succeeds while the store is unreachable. Needs no key.',
        response: {
          200: bodyOf('The process runs.', { status: Type.String(), uptime: Type.Number() }),
        },
      },
    },
    async () => ({ status: 'alive', uptime: system.uptimeSeconds() }),
  );

export const readOnlyState = {
  readOnly: Type.Optional(
    Type.Boolean({ description: 'True if the service refuses what changes something.' }),
  ),
  replayLag: Type.Optional(
    Type.Number({
      description: 'Seconds by which its replica is behind the primary; absent where it is not known.',
    }),
  ),
};

const CheckSchema = Type.Object(
  {
    status: Type.String({ description: 'up or down' }),
    responseTime: Type.Number(),
    detail: Type.Optional(Type.String({ description: 'Why it is down.' })),
    ...readOnlyState,
  },
  component('HealthCheck'),
);
const HealthCheckSchema = Type.Object(
  {
    status: Type.String({
      description: 'healthy, degraded (a model is missing or does not respond) or unhealthy',
    }),
    timestamp: Type.String(),
    version: Type.String(),
    uptime: Type.Number(),
    checks: Type.Record(Type.String(), CheckSchema),
  },
  component('Health'),
);

const health: Route = (app, { system, clock }) =>
  app.get(
    '/health',
    {
      config: { public: true, probe: true },
      schema: {
        operationId: 'getHealth',
        tags: ['Public'],
        security: [],
        summary: 'Readiness probe: the service can work',
        description:
          'Readiness: asks the store, and says whether the embedding model responds. Needs no key and says nothing about users.',
        response: {
          200: described(
            HealthCheckSchema,
            'The store responds; `degraded` if a model is missing or does not respond.',
          ),
          503: described(HealthCheckSchema, 'The store does not respond.'),
        },
      },
    },
    async (_, reply) => {
      const store = await system.checkStore();
      const up = store.status === 'up';
      const embedder = system.checkEmbedder();
      const working = embedder?.status === 'down' ? 'degraded' : 'healthy';
      return reply.code(up ? 200 : 503).send({
        status: up ? working : 'unhealthy',
        timestamp: toIso(clock.now()),
        version: system.version,
        uptime: system.uptimeSeconds(),
        checks: { store, ...(embedder && { embedder }) },
      });
    },
  );

const loopback = /^(127\.|::1$|::ffff:127\.)/;

/** Names that resolve to this machine everywhere: a web page cannot make its own name one of them. */
export const localName = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/i;

/** An untrusted proxy on this machine hides the client: forwarded requests do not count as local. */
function isLocal({ ip, ips, headers, hostname }: FastifyRequest): boolean {
  const passedOn = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined;
  return loopback.test(ip) && (ips !== undefined || !passedOn) && localName.test(hostname);
}

const metrics =
  (isPublic: boolean): Route =>
  (app) =>
    app.get(
      '/metrics',
      {
        config: { public: true },
        schema: {
          operationId: 'getMetrics',
          tags: ['Public'],
          security: [],
          summary: 'Prometheus metrics',
          description:
            'In the text format of Prometheus. Only this machine may read them unless MEMORYD_METRICS_PUBLIC is ' +
            'true; docs/operations.md lists them.',
          response: {
            200: {
              description: 'All metrics of this process.',
              content: { 'text/plain': { schema: Type.String() } },
            },
            403: Type.Ref('Error'),
          },
        },
      },
      async (request, reply) => {
        if (!isPublic && !isLocal(request))
          throw new AppError(
            'ADDRESS_REFUSED',
            'Metrics are shown to this machine only; MEMORYD_METRICS_PUBLIC=true opens them to all.',
          );
        const text = await app.metricsRegistry.metrics();
        return reply.type(app.metricsRegistry.contentType).send(text as never);
      },
    );

const cacheSeconds = 300;

const openApi: Route = (app) => {
  let document: string | undefined;
  app.get(
    '/api/openapi.json',
    {
      config: { public: true },
      schema: {
        operationId: 'getOpenApi',
        tags: ['Public'],
        security: [],
        summary: 'This document',
        description:
          'The interface as OpenAPI 3.0, for generators of clients and for /docs. Needs no key. docs/clients.md ' +
          'shows how to make a Python or TypeScript client of it.',
        querystring: Type.Object({
          noCache: Type.Optional(
            oneOf(['1', 'true'], { description: 'Asks for a response that caches do not store.' }),
          ),
        }),
        response: {
          200: {
            description: 'The OpenAPI document.',
            content: {
              'application/json': { schema: Type.Unsafe({ type: 'object', additionalProperties: true }) },
            },
          },
        },
      },
    },
    async (request, reply) => {
      reply.header('Cache-Control', request.query.noCache ? 'no-store' : `public, max-age=${cacheSeconds}`);
      document ??= JSON.stringify(app.swagger());
      return reply.type('application/json; charset=utf-8').send(document as never);
    },
  );
};

export interface PublicRouteOptions {
  readonly metricsPublic: boolean;
  /** Whether the explorer is served. */
  readonly ui: boolean;
}

export function publicRoutes({ metricsPublic, ui }: PublicRouteOptions): readonly Route[] {
  return [home({ ui }), livez, health, metrics(metricsPublic), openApi, ...(ui ? [explorer] : [])];
}
