import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { globalPlugin } from '../global-plugin.ts';
import { ErrorSchema, McpErrorSchema, PaginationSchema } from '../schemas/envelope.ts';
import { withNamedComponents } from './named-components.ts';
import {
  type DocumentObject,
  withNamedBodies,
  withOptionalParts,
  withSharedResponses,
} from './operations.ts';

const tags = [
  'Memories',
  'Search',
  'Conversations',
  'Relationships',
  'Topics',
  'Entities',
  'Facts',
  'Artifacts',
  'Trash',
  'Changes',
  'Webhooks',
  'Narratives',
  'GraphRAG',
  'API keys',
  'Users',
  'Operator',
  'System',
  'MCP',
  'Public',
];

function finished<D extends object>(made: D): D {
  const described = withSharedResponses(withOptionalParts(made as unknown as DocumentObject));
  return withNamedComponents(withNamedBodies(described)) as unknown as D;
}

/**
 * The page loads from this server only. Without `upgrade-insecure-requests`, which the
 * plugin's own policy has: at an address without TLS it would prevent loading the files.
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

const logo =
  '<svg xmlns="http://www.w3.org/2000/svg" width="160" height="40"><text x="0" y="28" fill="#fff" ' +
  'font-family="system-ui, sans-serif" font-size="26" font-weight="600">memoryd</text></svg>';

/**
 * The OpenAPI document, made from the validation schemas, and a page at /docs that shows it from local files.
 */
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
            'in If-Match give 412 if the record has changed since. A POST that changes something may have an ' +
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
      transformObject: (made) => ('openapiObject' in made ? finished(made.openapiObject) : {}),
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
      logo: { type: 'image/svg+xml', content: logo, href: '/', target: '_self' },
      theme: { title: 'memoryd' },
    });
  },
);
