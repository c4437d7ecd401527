import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';

export interface McpSessionOptions {
  /** Maximum number of sessions in all; 0 switches sessions off. */
  readonly mcpSessionsMax: number;
  readonly mcpSessionsPerUserMax: number;
  readonly mcpSessionIdleMs: number;
}

interface Session {
  readonly id: string;
  readonly userId: number;
  /** By a monotonic clock. */
  usedAt: number;
  /** The open event stream. */
  stream: ServerResponse | undefined;
}

/**
 * MCP sessions of this process. A session is an id that groups the memories of its client, and
 * an event stream; requests keep no other state, so a client without a session is served too.
 */
export class McpSessions {
  readonly #options: McpSessionOptions;
  readonly #now: () => number;
  /** Sessions by id, in the order of their last use. */
  readonly #sessions = new Map<string, Session>();

  /** @param now milliseconds */
  constructor(options: McpSessionOptions, now: () => number = () => performance.now()) {
    this.#options = options;
    this.#now = now;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** @returns the id; undefined if the maximum of sessions is open */
  open(userId: number): string | undefined {
    const { mcpSessionsMax, mcpSessionsPerUserMax } = this.#options;
    this.endIdle();
    const own = [...this.#sessions.values()].filter((session) => session.userId === userId);
    // Reconnecting clients leave sessions behind: the one unused for longest makes room.
    if (own.length >= mcpSessionsPerUserMax) this.#end(own.find(({ stream }) => !stream) ?? own[0]);
    if (this.#sessions.size >= mcpSessionsMax) return undefined;
    const id = randomUUID();
    this.#sessions.set(id, { id, userId, usedAt: this.#now(), stream: undefined });
    return id;
  }

  /** Marks a session as used. @returns whether the user has this session */
  use(userId: number, id: string): boolean {
    const session = this.#find(userId, id);
    if (!session) return false;
    session.usedAt = this.#now();
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    return true;
  }

  /**
   * Sets the event stream of the session and ends the one before. @returns whether the user has this session
   */
  attach(userId: number, id: string, stream: ServerResponse): boolean {
    const session = this.#find(userId, id);
    if (!session) return false;
    session.stream?.end();
    session.stream = stream;
    stream.once('close', () => {
      if (session.stream !== stream) return;
      session.stream = undefined;
      session.usedAt = this.#now();
    });
    return true;
  }

  /** @returns whether the user had this session */
  end(userId: number, id: string): boolean {
    const session = this.#find(userId, id);
    if (session) this.#end(session);
    return session !== undefined;
  }

  /** Ends sessions without a stream that were unused for the idle time. */
  endIdle(): void {
    for (const session of this.#sessions.values()) if (this.#isIdle(session)) this.#end(session);
  }

  endAll(): void {
    for (const session of this.#sessions.values()) this.#end(session);
  }

  /** Writes a comment to every stream, so that no proxy considers the connection dead. */
  keepAlive(): void {
    for (const { stream } of this.#sessions.values()) {
      // A client with this much unread will not read it any more.
      if (stream && stream.writableLength > unreadMax) stream.destroy();
      else stream?.write(': keep-alive\n\n');
    }
  }

  #find(userId: number, id: string): Session | undefined {
    const session = this.#sessions.get(id);
    if (session?.userId !== userId) return undefined;
    if (!this.#isIdle(session)) return session;
    this.#end(session);
    return undefined;
  }

  #isIdle({ stream, usedAt }: Session): boolean {
    return !stream && this.#now() - usedAt > this.#options.mcpSessionIdleMs;
  }

  #end(session: Session): void {
    this.#sessions.delete(session.id);
    session.stream?.end();
  }
}

const unreadMax = 4096;
