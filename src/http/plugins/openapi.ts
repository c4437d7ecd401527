import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { ErrorSchema, McpErrorSchema, PaginationSchema } from '../schemas/envelope.ts';
import { globalPlugin } from './global-plugin.ts';

const tags = [
  'Memories',
  'Search',
  'Conversations',
  'Relationships',
  'Topics',
  'Facts',
  'Artifacts',
  'Trash',
  'Narratives',
  'API keys',
  'Users',
  'System',
  'MCP',
  'Public',
];

interface Operation {
  parameters?: { in: string; allowEmptyValue?: boolean }[];
  requestBody?: { required?: boolean; content: Record<string, { schema: object }> };
}

/**
 * Says what @fastify/swagger cannot know: a body without a required member may be left out, and a query parameter
 * without a value counts as absent.
 */
function withOptionalParts<D extends { paths?: object }>(document: D): D {
  const operations = Object.values(document.paths ?? {}).flatMap((path) => Object.values(path as object));
  for (const { parameters = [], requestBody } of operations as Operation[]) {
    for (const parameter of parameters) if (parameter.in === 'query') parameter.allowEmptyValue = true;
    if (!requestBody) continue;
    const schemas = Object.values(requestBody.content).map(({ schema }) => schema);
    requestBody.required = schemas.some((schema) => 'required' in schema);
  }
  return document;
}

/**
 * The page loads from this server only. It does not ask browsers to come by https, as the policy that the plugin makes
 * does: then none of its files would be found at an address without TLS.
 */
const pagePolicy = {
  'default-src': "'self'",
  'base-uri': "'self'",
  'font-src': ["'self'", 'data:'],
  'frame-ancestors': "'self'",
  'img-src': ["'self'", 'data:'],
  'object-src': "'none'",
  'script-src-attr': "'none'",
};

/** The OpenAPI document, made from the schemas that validate, and a page at /docs that shows it from local files. */
export const openApi = globalPlugin<{ version: string }>(
  'openapi',
  async (app: FastifyInstance, { version }) => {
    app.addSchema(ErrorSchema);
    app.addSchema(McpErrorSchema);
    app.addSchema(PaginationSchema);
    await app.register(swagger, {
      openapi: {
        openapi: '3.0.3',
        info: {
          title: 'memoryd',
          description:
            'A self-hosted memory service for AI agents. Send an API key as `Authorization: Bearer <API_KEY>`. Answers with ' +
            'one memory, fact, artifact, thread, conversation or topic carry its ETag; PUT, PATCH and DELETE with that tag ' +
            'in If-Match answer 412 if the record has changed since. A POST that changes something may carry an ' +
            '`Idempotency-Key` of 1 to 255 visible ASCII characters: sent again within 24 hours with the same path and body ' +
            'it is not done again, by whatever process, and gets the first response with `Idempotency-Replayed: true`. A ' +
            'parameter of a URL without a value (`?topics=`) counts as absent.',
          license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
          version,
        },
        servers: [{ url: '/' }],
        tags: tags.map((name) => ({ name })),
        components: { securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } } },
        security: [{ apiKey: [] }],
      },
      transformObject: (made) => withOptionalParts('openapiObject' in made ? made.openapiObject : {}),
      refResolver: { buildLocalReference: (json, _base, _fragment, i) => String(json.$id ?? `def-${i}`) },
    });
    app.addHook('onRoute', (route) => {
      if (route.url.startsWith('/docs')) route.config = { ...route.config, public: true };
    });
    await app.register(swaggerUi, {
      routePrefix: '/docs',
      staticCSP: pagePolicy,
      uiConfig: {
        docExpansion: 'none',
        tryItOutEnabled: true,
        validatorUrl: null,
        persistAuthorization: true,
      },
      theme: { title: 'memoryd' },
    });
  },
);
