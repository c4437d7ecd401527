import { randomUUID } from 'node:crypto';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import type { Config } from '../../config/settings.ts';
import { createServices, openStorage } from '../../container.ts';
import { ownScopes } from '../../domain/api-keys/api-key.ts';
import { rootCodeOf } from '../../lib/failure-log.ts';
import { isNestedTooDeep, jsonDepthRule } from '../../lib/json-depth.ts';
import { createMcpServer } from '../../mcp/server.ts';
import { Bridge, type BridgeTarget } from './bridge.ts';

/** Standard output is the protocol's. */
const say = (line: string) => void process.stderr.write(`memoryd mcp: ${line}\n`);

/** Resolves when the client closes our standard input, or a signal comes. */
function ended(transport: Transport): Promise<void> {
  return new Promise((resolve) => {
    transport.onclose = resolve;
    process.stdin.once('end', resolve);
    process.stdin.once('close', resolve);
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
}

/** Serves a client on standard streams with a running service. */
export async function bridgeStdio(target: BridgeTarget): Promise<void> {
  const bridge = new Bridge(target);
  const stdio = new StdioServerTransport();
  const over = ended(stdio);
  const waiting = new Set<Promise<void>>();
  stdio.onerror = (error) => say(error.message);
  stdio.onmessage = (message) => {
    const passed = bridge.send(message).then(async (response) => {
      if (response) await stdio.send(response);
    });
    waiting.add(passed);
    void passed.catch((error: Error) => say(error.message)).finally(() => waiting.delete(passed));
  };
  boundDepth(stdio);
  await stdio.start();
  say(`passes on to ${target.url}`);
  await over;
  await Promise.allSettled(waiting);
}

/** Passes on the messages that may be read: one that is nested too deep is answered here. */
function boundDepth(stdio: Transport): void {
  const { onmessage } = stdio;
  stdio.onmessage = (message, extra) => {
    if (!isNestedTooDeep(message)) return onmessage?.(message, extra);
    if (!('id' in message && 'method' in message)) return say(`a message ${jsonDepthRule}`);
    const error = { code: ErrorCode.InvalidRequest, message: `the message ${jsonDepthRule}` };
    void stdio.send({ jsonrpc: '2.0', id: message.id as string, error });
  };
}

export interface AloneOptions {
  /** Name of the user, created if absent. */
  readonly userName: string;
  readonly showsKnownNames: boolean;
}

/** Serves a client on standard streams with the store of the configuration, which no other process may serve. */
export async function serveAlone(config: Config, { userName, showsKnownNames }: AloneOptions): Promise<void> {
  const storage = await openStorage(config, { exclusive: true, onWaiting: say });
  const services = createServices(config, storage);
  const onFailure = (error: unknown) => say(`a call failed (${rootCodeOf(error)})`);
  storage.failures.watch(({ task, error }) => say(`${task} failed (${rootCodeOf(error)})`));
  try {
    const user = await services.users.ensure(userName);
    services.jobs.start();
    const stdio = new StdioServerTransport();
    const server = createMcpServer({
      services,
      user,
      scopes: ownScopes,
      sessionId: `mcp-${randomUUID()}`,
      showsKnownNames,
      inTurn: (work) => work(),
      onCall: () => undefined,
      onFailure,
    });
    await server.connect(stdio);
    boundDepth(stdio);
    const { onclose } = stdio;
    const over = ended(stdio);
    say(`serves the store of this machine to ${user.name}`);
    await over;
    onclose?.();
  } finally {
    await services.close();
    await storage.close();
  }
}
