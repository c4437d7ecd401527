import type { Route } from '../../route-plugin.ts';
import { endSession } from './end-session.ts';
import { eventStream } from './event-stream.ts';
import { mcpMetrics } from './mcp-metrics.ts';
import { type OriginOptions, originCheck } from './origin.ts';
import { postMessage } from './post-message.ts';
import { type McpSessionOptions, McpSessions } from './sessions.ts';

export interface McpRouteOptions extends McpSessionOptions, OriginOptions {
  readonly mcpBodyBytesMax: number;
  readonly connectionTimeoutMs: number;
}

const keepAliveMsMax = 15_000;

/** The Model Context Protocol over streamable HTTP. */
export function mcpRoutes(options: McpRouteOptions): readonly Route[] {
  return [
    (app, services) => {
      const sessions = new McpSessions(options);
      const deps = { sessions, bodyLimit: options.mcpBodyBytesMax, onCall: mcpMetrics(app, sessions) };
      const tick = () => {
        sessions.endIdle();
        sessions.keepAlive();
      };
      const timer = setInterval(tick, Math.min(keepAliveMsMax, options.connectionTimeoutMs / 2)).unref();
      // Open streams would make the stop wait.
      app.addHook('preClose', async () => {
        clearInterval(timer);
        sessions.endAll();
      });
      const assertOrigin = originCheck(options);
      app.addHook('onRequest', (request, _reply, done) => {
        try {
          if (request.routeOptions.url === '/mcp') assertOrigin(request);
          done();
        } catch (error) {
          done(error as Error);
        }
      });
      for (const route of [postMessage(deps), eventStream(sessions), endSession(sessions)])
        route(app, services);
    },
  ];
}
