import { randomUUID } from 'node:crypto';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ErrorCode, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { Config } from '../../config/settings.ts';
import { createServices, openStorage } from '../../container.ts';
import { ownScopes } from '../../domain/api-keys/api-key.ts';
import { rootCodeOf } from '../../lib/failure-log.ts';
import { isNestedTooDeep, jsonDepthRule } from '../../lib/json-depth.ts';
import { createMcpServer } from '../../mcp/server.ts';
import { reasonOf, type ServiceAccess, sendRequest } from '../client/api-client.ts';

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

/** Passes on messages; one that is nested too deeply gets an error instead. */
function boundDepth(stdio: Transport): void {
  const { onmessage } = stdio;
  stdio.onmessage = (message, extra) => {
    if (!isNestedTooDeep(message)) return onmessage?.(message, extra);
    if (!('id' in message && 'method' in message)) return say(`a message ${jsonDepthRule}`);
    const error = { code: ErrorCode.InvalidRequest, message: `the message ${jsonDepthRule}` };
    void stdio.send({ jsonrpc: '2.0', id: message.id as string, error });
  };
}

interface AloneOptions {
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

interface BridgeTarget extends ServiceAccess {
  /** Lists the tools by the names that other clients of this API use, too. */
  readonly showsKnownNames: boolean;
}

const timeoutMs = 60_000;
const serverError = -32_000;

/** Forwards messages to the `/mcp` of a service; restarts a lost session, so the service may restart. */
class Bridge {
  readonly #path: string;
  readonly #target: BridgeTarget;
  #sessionId: string | undefined;
  /** The client's initialize message, sent again to begin a new session. */
  #initialize: JSONRPCMessage | undefined;

  constructor(target: BridgeTarget) {
    // People know the service by the address that they give to other clients, too.
    this.#target = { ...target, url: target.url.replace(/\/mcp$/, '') };
    this.#path = `/mcp${target.showsKnownNames ? '?tools=all' : ''}`;
  }

  /**
   * @returns the response; undefined for a notification. A
   * failure becomes a response that explains how to resolve it.
   */
  async send(message: JSONRPCMessage): Promise<JSONRPCMessage | undefined> {
    if ('method' in message && message.method === 'initialize') {
      this.#initialize = message;
      this.#sessionId = undefined;
    }
    try {
      let response = await this.#post(message);
      if (response.status === 404 && this.#sessionId !== undefined) {
        await this.#beginAgain();
        response = await this.#post(message);
      }
      const text = await response.text();
      if (text === '') return undefined;
      return withIdOf(message, JSON.parse(text) as JSONRPCMessage);
    } catch (error) {
      return this.#unreachable(message, error);
    }
  }

  async #beginAgain(): Promise<void> {
    this.#sessionId = undefined;
    if (!this.#initialize) return;
    const response = await this.#post(this.#initialize);
    await response.arrayBuffer();
  }

  async #post(message: JSONRPCMessage): Promise<Response> {
    const response = await sendRequest(this.#target, {
      method: 'POST',
      path: this.#path,
      headers: {
        accept: 'application/json, text/event-stream',
        ...(this.#sessionId !== undefined && { 'mcp-session-id': this.#sessionId }),
      },
      body: message,
      timeoutMs,
    });
    this.#sessionId = response.headers.get('mcp-session-id') ?? this.#sessionId;
    return response;
  }

  #unreachable(message: JSONRPCMessage, error: unknown): JSONRPCMessage | undefined {
    if (!('id' in message && 'method' in message)) return undefined;
    const text = `memoryd at ${this.#target.url} gave no answer (${reasonOf(error)}). Is it running? Start it with: npx memoryd serve`;
    return { jsonrpc: '2.0', id: message.id, error: { code: serverError, message: text } };
  }
}

/** An error response to a whole request lacks the id if its body was unreadable: it is set here. */
function withIdOf(message: JSONRPCMessage, response: JSONRPCMessage): JSONRPCMessage | undefined {
  if (!('error' in response) || response.id != null) return response;
  return 'id' in message && 'method' in message ? { ...response, id: message.id } : undefined;
}
