import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import {
  type JSONRPCMessage,
  PROTOCOL_VERSION_META_KEY,
  ProtocolErrorCode,
  type Transport,
} from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Config } from '../../config/settings.ts';
import { createServices, openStorage } from '../../container.ts';
import { ownScopes } from '../../domain/api-keys/api-key.ts';
import { rootCodeOf } from '../../lib/failure-log.ts';
import { isNestedTooDeep, jsonDepthRule } from '../../lib/json.ts';
import { createMcpServer } from '../../mcp/server.ts';
import { reasonOf, type ServiceAccess, sendRequest } from '../client/api-client.ts';

/** Standard output is the protocol's. */
const say = (line: string) => void process.stderr.write(`memoryd mcp: ${line}\n`);

/** The standard streams; requests that came before the end of the input are answered after it. */
function newStdio(): StdioServerTransport {
  return new StdioServerTransport(process.stdin.pipe(new PassThrough(), { end: false }));
}

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
  const stdio = newStdio();
  const over = ended(stdio);
  const waiting = new Set<Promise<void>>();
  stdio.onerror = (error) => say(error.message);
  stdio.onmessage = (message) => {
    const passed = bridge.send(message).then(async (responses) => {
      for (const response of responses) await stdio.send(response);
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
    const error = { code: ProtocolErrorCode.InvalidRequest, message: `the message ${jsonDepthRule}` };
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
  const storage = await openStorage(config, { exclusive: true, say });
  const services = createServices(config, storage);
  const onFailure = (error: unknown) => say(`a call failed (${rootCodeOf(error)})`);
  storage.failures.watch(({ task, error }) => say(`${task} failed (${rootCodeOf(error)})`));
  try {
    const user = await services.users.ensure(userName);
    services.jobs.start();
    const stdio = newStdio();
    const deps = {
      services,
      user,
      scopes: ownScopes,
      sessionId: `mcp-${randomUUID()}`,
      showsKnownNames,
      inTurn: <T>(work: () => Promise<T>) => work(),
      onCall: () => undefined,
      onFailure,
    };
    serveStdio(() => createMcpServer(deps), { transport: stdio, onerror: (error) => say(error.message) });
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

/** Forwards messages to the `/mcp` of a service, under one session, which any process of it serves. */
class Bridge {
  readonly #path: string;
  readonly #target: BridgeTarget;
  readonly #sessionId = randomUUID();

  constructor(target: BridgeTarget) {
    // People know the service by the address that they give to other clients, too.
    this.#target = { ...target, url: target.url.replace(/\/mcp$/, '') };
    this.#path = `/mcp${target.showsKnownNames ? '?tools=all' : ''}`;
  }

  /**
   * @returns the responses; none for a notification. A
   * failure becomes a response that explains how to resolve it.
   */
  async send(message: JSONRPCMessage): Promise<readonly JSONRPCMessage[]> {
    try {
      const response = await this.#post(message);
      const text = await response.text();
      if (response.headers.get('content-type')?.startsWith('text/event-stream')) return eventsIn(text);
      return text === '' ? [] : withIdOf(message, JSON.parse(text) as JSONRPCMessage);
    } catch (error) {
      return this.#unreachable(message, error);
    }
  }

  #post(message: JSONRPCMessage): Promise<Response> {
    return sendRequest(this.#target, {
      method: 'POST',
      path: this.#path,
      headers: {
        accept: 'application/json, text/event-stream',
        'mcp-session-id': this.#sessionId,
        ...headersOf(message),
      },
      body: message,
      timeoutMs,
    });
  }

  #unreachable(message: JSONRPCMessage, error: unknown): readonly JSONRPCMessage[] {
    if (!('id' in message && 'method' in message)) return [];
    const text = `memoryd at ${this.#target.url} gave no answer (${reasonOf(error)}). Is it running? Start it with: npx memoryd serve`;
    return [{ jsonrpc: '2.0', id: message.id, error: { code: serverError, message: text } }];
  }
}

/** The messages of a stream that has ended. */
function eventsIn(text: string): readonly JSONRPCMessage[] {
  const data = text.split('\n').filter((line) => line.startsWith('data: '));
  return data.map((line) => JSON.parse(line.slice('data: '.length)) as JSONRPCMessage);
}

/** Headers of a message of 2026, which say again what its body says. */
function headersOf(message: JSONRPCMessage): Record<string, string> {
  if (!('method' in message)) return {};
  const { _meta: meta, name, uri } = (message.params ?? {}) as Record<string, unknown>;
  const version = (meta as Record<string, unknown> | undefined)?.[PROTOCOL_VERSION_META_KEY];
  if (typeof version !== 'string') return {};
  const named = message.method === 'resources/read' ? uri : name;
  return {
    'mcp-protocol-version': headerValue(version),
    'mcp-method': headerValue(message.method),
    ...(typeof named === 'string' && { 'mcp-name': headerValue(named) }),
  };
}

/** The value, in the form of the protocol for texts that a header cannot carry. */
function headerValue(value: string): string {
  if (/^(?!=\?base64\?)[!-~](?:[ -~]*[!-~])?$/.test(value)) return value;
  return `=?base64?${Buffer.from(value).toString('base64')}?=`;
}

/** An error response to a whole request lacks the id if its body was unreadable: it is set here. */
function withIdOf(message: JSONRPCMessage, response: JSONRPCMessage): readonly JSONRPCMessage[] {
  if (!('error' in response) || response.id != null) return [response];
  return 'id' in message && 'method' in message ? [{ ...response, id: message.id }] : [];
}
