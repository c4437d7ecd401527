import type { Route } from '../route-plugin.ts';
import { apiKeyRoutes } from './apikeys/index.ts';
import { artifactRoutes } from './artifacts/index.ts';
import { briefingRoutes } from './briefing/index.ts';
import { communityRoutes } from './communities/index.ts';
import { conversationRoutes } from './conversations/index.ts';
import { entityRoutes } from './entities/index.ts';
import { factRoutes } from './facts/index.ts';
import { graphRagRoutes } from './graphrag/index.ts';
import { type McpRouteOptions, mcpRoutes } from './mcp/index.ts';
import { memoryRoutes } from './memories/index.ts';
import { narrativeRoutes } from './narratives/index.ts';
import { operatorKeyRoutes } from './operator/user-keys.ts';
import { operatorUserRoutes } from './operator/users.ts';
import { patternRoutes } from './patterns/index.ts';
import { publicRoutes } from './public/index.ts';
import { relationshipRoutes } from './relationships/index.ts';
import { systemRoutes } from './system/index.ts';
import { topicRoutes } from './topics/index.ts';
import { trashRoutes } from './trash/index.ts';
import { userRoutes } from './users/index.ts';

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
    ...operatorUserRoutes,
    ...operatorKeyRoutes,
    ...systemRoutes,
    ...mcpRoutes(options),
  ];
}
