import type { Route } from '../route-plugin.ts';
import { apiKeyRoutes } from './api-keys.ts';
import { artifactRoutes } from './artifacts.ts';
import { briefingRoutes } from './briefing/index.ts';
import { communityRoutes } from './communities.ts';
import { conversationRoutes } from './conversations.ts';
import { entityRoutes } from './entities.ts';
import { factRoutes } from './facts.ts';
import { graphRagRoutes } from './graph-rag.ts';
import { type McpRouteOptions, mcpRoutes } from './mcp/mcp.ts';
import { memoryRoutes } from './memories/memories.ts';
import { narrativeRoutes } from './narratives.ts';
import { operatorRoutes } from './operator.ts';
import { patternRoutes } from './patterns/patterns.ts';
import { publicRoutes } from './public/public.ts';
import { relationshipRoutes } from './relationships.ts';
import { systemRoutes } from './system/system.ts';
import { topicRoutes } from './topics.ts';
import { trashRoutes } from './trash.ts';
import { userRoutes } from './users.ts';

/** Every endpoint of the service. */
export function allRoutes(options: McpRouteOptions & { readonly metricsPublic: boolean }): readonly Route[] {
  return [
    ...publicRoutes(options),
    ...memoryRoutes,
    ...briefingRoutes(options),
    ...relationshipRoutes,
    ...conversationRoutes,
    ...topicRoutes,
    ...communityRoutes,
    ...graphRagRoutes,
    ...patternRoutes,
    ...factRoutes,
    ...entityRoutes,
    ...artifactRoutes,
    ...trashRoutes,
    ...narrativeRoutes,
    ...apiKeyRoutes,
    ...userRoutes,
    ...operatorRoutes,
    ...systemRoutes,
    ...mcpRoutes(options),
  ];
}
