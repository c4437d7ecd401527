import { randomUUID } from 'node:crypto';
import compress from '@fastify/compress';
import cors from '@fastify/cors';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, { type FastifyBaseLogger, type FastifyServerOptions, LogController } from 'fastify';
import type { Config } from '../config/settings.ts';
import { bufferedOutput, type LineOutput } from '../lib/buffered-output.ts';
import { respondToBrokenRequest } from './broken-request.ts';
import { logOptions } from './log-options.ts';
import { abandonedRequests } from './plugins/abandoned-requests.ts';
import { admission } from './plugins/admission.ts';
import { authenticate } from './plugins/authenticate.ts';
import { backgroundWatch } from './plugins/background-watch.ts';
import { deadline } from './plugins/deadline.ts';
import { embedderWatch } from './plugins/embedder-watch.ts';
import { encoderWatch } from './plugins/encoder-watch.ts';
import { errorHandler, sendError } from './plugins/error-handler.ts';
import { idempotencyKeys } from './plugins/idempotency-keys.ts';
import { ifMatchHeader } from './plugins/if-match.ts';
import { ignoredFieldsNamed } from './plugins/ignored-fields.ts';
import { inFlight } from './plugins/in-flight.ts';
import { jsonBodies } from './plugins/json-bodies.ts';
import { llmWatch } from './plugins/llm-watch.ts';
import { memoryLimit } from './plugins/memory-limit.ts';
import { metrics } from './plugins/metrics.ts';
import { notFound } from './plugins/not-found.ts';
import { openApi } from './plugins/openapi.ts';
import { overload } from './plugins/overload.ts';
import { requestLog } from './plugins/request-log.ts';
import { textRules } from './plugins/text-rules.ts';
import { unreadResponses } from './plugins/unread-responses.ts';
import { whenClosed } from './plugins/when-closed.ts';
import type { RouteApp } from './route-plugin.ts';
import { allRoutes } from './routes/index.ts';
import { serializerFactory } from './serialization.ts';
import type { AppServices } from './services.ts';
import { validatorCompiler } from './validation.ts';

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
 * To add an endpoint: write `routes/<resource>/<operation-id>.ts` exporting a `Route` (schema with operationId, tags,
 * summary, description, request, described responses, `...errorResponses`; a handler that only translates), and name it
 * in that folder's `index.ts`. A record that several responses have gets a name: `component` in schemas/component.ts.
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
  await app.register(whenClosed);
  await app.register(errorHandler);
  await app.register(notFound);
  await app.register(requestLog);
  await app.register(jsonBodies);
  await app.register(metrics, { system: services.system, log: logStream });
  await app.register(backgroundWatch, { failures: services.system.failures });
  await app.register(embedderWatch, { embedder: services.system.embedder });
  await app.register(encoderWatch, { system: services.system });
  await app.register(llmWatch, { llm: services.system.llm });
  await app.register(inFlight, services);
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
      ],
      strictPreflight: false,
    });
  }
  await app.register(compress, {
    global: true,
    threshold: compressedFromBytes,
    encodings: ['gzip', 'identity'],
  });
  await app.register(authenticate, { keys: services.keys });
  await app.register(unreadResponses, config);
  await app.register(admission, config);
  await app.register(textRules);
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
