import { type Static, type TObject, type TSchema, Type } from 'typebox';
import type { Briefing } from '../briefing/briefing.ts';
import type { KeyScope } from '../domain/api-keys/api-key.ts';
import type { ConversationService } from '../domain/conversations/conversation-service.ts';
import type { FactService } from '../domain/facts/fact-service.ts';
import type { MemoryService } from '../domain/memories/memory-service.ts';
import type { PatternService } from '../domain/patterns/pattern-service.ts';
import type { RelationshipService } from '../domain/relationships/relationship-service.ts';
import type { Stores } from '../domain/shared/stores.ts';
import type { UserRef } from '../domain/shared/user-ref.ts';
import type { TopicService } from '../domain/topics/topic-service.ts';
import type { UserStore } from '../domain/users/user.ts';
import type { Clock } from '../lib/clock.ts';
import type { Search } from '../search/search-port.ts';

/** The caller, its scopes, and the services that the call may use. */
export interface ToolContext {
  readonly services: McpServices;
  readonly user: UserRef;
  readonly scopes: readonly KeyScope[];
  /** Groups memories without a conversation; undefined if the client has no session. */
  readonly sessionId: string | undefined;
  /** Logs an error of the service. */
  onFailure(error: unknown): void;
}

/** Result of a tool: an object of its output schema, within the token budget, also sent as text. */
export type ToolOutput = Readonly<Record<string, unknown>>;

export interface Tool {
  readonly name: string;
  readonly title: string;
  /** Description for the agent's choice: when to call the tool, and its result. */
  readonly description: string;
  /** Scope that the key needs. */
  readonly scope: 'read' | 'write';
  /** Whether the tool can delete something. */
  readonly isDestructive: boolean;
  readonly input: TObject;
  readonly output: TObject;
  /**
   * @param args checked against `input`, with defaults
   * @throws AppError, which an agent gets as the error of the tool
   */
  run(context: ToolContext, args: unknown): Promise<ToolOutput>;
}

interface ToolDefinition<I extends TObject> extends Omit<Tool, 'run' | 'input' | 'isDestructive'> {
  readonly isDestructive?: boolean;
  readonly input: I;
  run(context: ToolContext, args: Static<I>): Promise<ToolOutput>;
}

/** A tool whose `run` is typed by its input schema; arguments are checked before it is called. */
export function defineTool<I extends TObject>({ isDestructive = false, ...tool }: ToolDefinition<I>): Tool {
  return { ...tool, isDestructive } as Tool;
}

export const tokensDefault = 4000;
/** The smallest budget into which any memory fits, cut. */
export const tokensMin = 300;
export const tokensMax = 100_000;

/** Maximum tokens of a response. */
export const budgetField = {
  maxTokens: Type.Integer({
    minimum: tokensMin,
    maximum: tokensMax,
    default: tokensDefault,
  }),
};

/** An object without other members: an argument without effect is refused, not dropped. */
export function strictObject<P extends Record<string, TSchema>>(properties: P): TObject<P> {
  return Type.Object(properties, { additionalProperties: false });
}

/** Services that tools, resources and prompts call: those of the HTTP routes. */
interface McpServices {
  readonly clock: Clock;
  readonly users: Pick<UserStore, 'find'>;
  readonly stores: Stores;
  readonly search: Search;
  readonly briefing: Briefing;
  readonly memories: MemoryService;
  readonly conversations: ConversationService;
  readonly relationships: RelationshipService;
  readonly topics: TopicService;
  readonly facts: FactService;
  readonly patterns: Pick<PatternService, 'list'>;
}
