import { grantRoutes } from '../oauth/grants.ts';
import { oauthRoutes } from '../oauth/oauth-routes.ts';
import type { Route } from '../route-plugin.ts';
import { errorResponses } from '../schemas/envelope.ts';
import { apiKeyRoutes } from './api-keys.ts';
import { artifactRoutes } from './artifacts.ts';
import { createCommitContext } from './briefing/commit-context.ts';
import { buildContext } from './briefing/context.ts';
import { createDigest, streamDigest } from './briefing/digest.ts';
import { changeRoutes } from './changes.ts';
import { communityRoutes } from './communities.ts';
import { conversationRoutes } from './conversations.ts';
import { entityRoutes } from './entities.ts';
import { factRoutes } from './facts.ts';
import { getGraphAround } from './graph/graph-around.ts';
import { graphRagRoutes } from './graph/graph-rag.ts';
import { type McpRouteOptions, mcpRoute } from './mcp/mcp.ts';
import { memoryRoutes } from './memories/memories.ts';
import { narrativeRoutes } from './narratives.ts';
import { operatorRoutes } from './operator.ts';
import { patternRoutes } from './patterns/patterns.ts';
import { type PublicRouteOptions, publicRoutes } from './public/public.ts';
import { relationshipRoutes } from './relationships/relationships.ts';
import { relationshipReviewRoutes } from './relationships/review.ts';
import { systemRoutes } from './system/system.ts';
import { topicRoutes } from './topics.ts';
import { trashRoutes } from './trash.ts';
import { userRoutes } from './users.ts';
import { webhookRoutes } from './webhooks/webhooks.ts';

/** Adds the responses to failures to the endpoints below; public ones and `/mcp` state their own. */
const failures: Route = (app) => {
  app.addHook('onRoute', ({ schema, config }) => {
    if (schema?.response && !config?.public && !config?.errorBody)
      schema.response = { ...errorResponses, ...schema.response };
  });
};

/** Every endpoint of the service. */
export function allRoutes(
  options: McpRouteOptions & PublicRouteOptions & { readonly connectionTimeoutMs: number },
): readonly Route[] {
  return [
    failures,
    ...publicRoutes(options),
    ...memoryRoutes,
    createDigest,
    streamDigest(options),
    buildContext,
    createCommitContext,
    ...relationshipRoutes,
    ...relationshipReviewRoutes,
    ...conversationRoutes,
    ...topicRoutes,
    ...communityRoutes,
    ...graphRagRoutes,
    getGraphAround,
    ...patternRoutes,
    ...factRoutes,
    ...entityRoutes,
    ...artifactRoutes,
    ...trashRoutes,
    ...changeRoutes(options),
    ...webhookRoutes,
    ...narrativeRoutes,
    ...apiKeyRoutes,
    ...grantRoutes,
    ...userRoutes,
    ...operatorRoutes,
    ...systemRoutes,
    mcpRoute(options),
    ...(options.publicUrl === undefined ? [] : [oauthRoutes(options.publicUrl)]),
  ];
}
