import { Counter, Gauge, Histogram } from 'prom-client';
import type { ToolCall } from '../../../mcp/server-deps.ts';
import type { RouteApp } from '../../route-plugin.ts';

const bucketsSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** Counts calls by tool and outcome, and shows the number of sessions. */
export function mcpMetrics(app: RouteApp, sessions: { readonly size: number }): (call: ToolCall) => void {
  const registers = [app.metricsRegistry];
  const calls = new Counter({
    name: 'memoryd_mcp_calls_total',
    help: 'Calls of MCP tools: ok, error (the domain refused), refused (unknown tool, scope, arguments), failed.',
    labelNames: ['tool', 'outcome'],
    registers,
  });
  const seconds = new Histogram({
    name: 'memoryd_mcp_call_seconds',
    help: 'Time that MCP tools took.',
    labelNames: ['tool'],
    buckets: bucketsSeconds,
    registers,
  });
  new Gauge({
    name: 'memoryd_mcp_sessions',
    help: 'MCP sessions.',
    registers,
    collect() {
      this.set(sessions.size);
    },
  });
  return ({ tool, outcome, ms }) => {
    calls.labels(tool, outcome).inc();
    seconds.labels(tool).observe(ms / 1000);
  };
}
