import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { reasonOf, type ServiceAccess, sendRequest } from '../client/send-request.ts';

export interface BridgeTarget extends ServiceAccess {
  /** Lists the tools by the names that other clients of this API use, too. */
  readonly showsKnownNames: boolean;
}

const timeoutMs = 60_000;
const serverError = -32_000;

/** Passes messages on to the `/mcp` of a service. A session that is gone is begun again, so the service may restart. */
export class Bridge {
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
   * failure becomes a response that says how to resolve it.
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
