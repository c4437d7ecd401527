import { randomUUID } from 'node:crypto';
import compress from '@fastify/compress';
import cors from '@fastify/cors';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, { type FastifyBaseLogger, type FastifyServerOptions, LogController } from 'fastify';
import type { Config } from '../config/settings.ts';
import { bufferedOutput, type LineOutput } from '../lib/buffered-output.ts';
import { errorHandler, respondToBrokenRequest, sendError } from './errors.ts';
import { abandonedRequests } from './hooks/abandoned-requests.ts';
import { authenticate } from './hooks/authenticate.ts';
import { idempotencyKeys } from './hooks/idempotency-keys.ts';
import { metrics } from './hooks/metrics.ts';
import { ifMatchHeader, requestRules } from './hooks/request-rules.ts';
import { unknownPaths } from './hooks/unknown-paths.ts';
import { backgroundWatch, embedderWatch, encoderWatch, llmWatch } from './hooks/watches.ts';
import { ignoredFieldsNamed } from './ignored-fields.ts';
import { admission } from './load/admission.ts';
import { memoryLimit, overload } from './load/overload.ts';
import { deadline, requestLifetime } from './load/request-lifetime.ts';
import { unreadResponses } from './load/unread-responses.ts';
import { logOptions, requestLog } from './log.ts';
import { challengeFor } from './oauth/metadata.ts';
import { openApi } from './openapi/plugin.ts';
import type { RouteApp } from './route-plugin.ts';
import { allRoutes } from './routes/index.ts';
import { serializerFactory, validatorCompiler } from './schema-compilers.ts';
import type { AppServices } from './services.ts';

const compressedFromBytes = 2048;
const pathPartLengthMax = 500;
/**
 * How often Node checks for clients that exceed the timeouts,
 * in ms; its default of 30 s is longer than the timeouts.
 */
const connectionsCheckingInterval = 2000;
const clientRequestId = /^[\w.-]{1,64}$/;

function serverOptions(config: Config, logStream: LineOutput): FastifyServerOptions {
  return {
    logger: logOptions(config.logLevel, logStream),
    logController: new LogController({ disableRequestLogging: true }),
    // Log lines state the request id themselves: a child logger
    // for each request took longer than writing the line.
    childLoggerFactory: (logger: FastifyBaseLogger) => logger,
    trustProxy: config.trustedProxies.length > 0 ? [...config.trustedProxies] : false,
    bodyLimit: config.bodyBytesMax,
    connectionTimeout: config.connectionTimeoutMs,
    keepAliveTimeout: config.connectionTimeoutMs,
    requestTimeout: config.requestTimeoutMs,
    // Node would refuse a request without Host with an empty
    // response; `errorHandler` refuses it with an error body.
    http: { headersTimeout: config.headersTimeoutMs, connectionsCheckingInterval, requireHostHeader: false },
    forceCloseConnections: 'idle',
    // The overload plugin refuses requests during the stop, with the usual error body.
    return503OnClosing: false,
    exposeHeadRoutes: true,
    genReqId: ({ headers }) => {
      const sent = headers['x-request-id'];
      return typeof sent === 'string' && clientRequestId.test(sent) ? sent : randomUUID();
    },
    rewriteUrl: ({ url = '/' }) => url.replace(/^\/{2,}/, '/'),
    schemaController: { compilersFactory: { buildSerializer: serializerFactory } },
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: pathPartLengthMax },
    onProtoPoisoning: 'remove',
    onConstructorPoisoning: 'remove',
    frameworkErrors: (error, request, reply) => void sendError(request as never, reply as never, error),
    clientErrorHandler: respondToBrokenRequest,
  } as FastifyServerOptions;
}

/**
 * The HTTP interface over the given services; it neither listens nor reads the environment.
 *
 * To add an endpoint: write a `Route` in `routes/<resource>.ts` (schema with operationId, tags, summary, description,
 * request and described responses, those to failures aside; a handler that only translates), and name it in the list at
 * the end of that file. A record that several responses have gets a name: `component` in schemas/component.ts.
 * GET needs a key with the scope read, everything else write, unless the route's `config` says otherwise.
 */
export async function buildApp(
  services: AppServices,
  config: Config,
  logStream: LineOutput = bufferedOutput(process.stdout),
): Promise<RouteApp> {
  const app = Fastify(
    serverOptions(config, logStream),
  ).withTypeProvider<TypeBoxTypeProvider>() as unknown as RouteApp;
  app.setValidatorCompiler(validatorCompiler);
  await app.register(requestLifetime, services);
  await app.register(errorHandler, { challenge: challengeFor(config.publicUrl) });
  await app.register(unknownPaths);
  await app.register(requestLog);
  await app.register(requestRules);
  await app.register(metrics, { system: services.system, log: logStream });
  await app.register(backgroundWatch, { failures: services.system.failures });
  await app.register(embedderWatch, { embedder: services.system.embedder });
  await app.register(encoderWatch, { system: services.system });
  await app.register(llmWatch, { llm: services.system.llm });
  await app.register(overload, config);
  await app.register(memoryLimit, config);
  await app.register(deadline, config);
  if (config.corsOrigins.length > 0) {
    const origin = config.corsOrigins.includes('*') ? true : [...config.corsOrigins];
    await app.register(cors, {
      origin,
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      exposedHeaders: [
        'Mcp-Session-Id',
        'X-Request-Id',
        'ETag',
        'Retry-After',
        'X-Truncated',
        'X-Next-Offset',
        'X-Next-Cursor',
        'Trash-Entry',
        'Ignored-Fields',
      ],
      strictPreflight: false,
    });
  }
  await app.register(compress, {
    global: true,
    threshold: compressedFromBytes,
    encodings: ['gzip', 'identity'],
  });
  await app.register(authenticate, {
    keys: services.keys,
    tokens: services.oauth.tokens,
    publicUrl: config.publicUrl,
    isReadOnly: services.system.probe.isReadOnly,
  });
  await app.register(unreadResponses, config);
  await app.register(admission, config);
  await app.register(idempotencyKeys, services);
  await app.register(abandonedRequests, { clock: services.clock });
  await app.register(ignoredFieldsNamed);
  await app.register(openApi, { version: services.system.version });
  await app.register(ifMatchHeader);
  for (const route of allRoutes(config)) route(app, services);
  await app.ready();
  // Ignores unknown expectations; Node by default responds 417 without a body.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  return app;
}
