import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { fenced, markTokens, toJson } from '../briefing/text/fence.ts';
import { AppError } from '../domain/shared/errors.ts';
import { assertTexts } from '../domain/shared/storable-text.ts';
import { nearest } from '../lib/names.ts';
import { toBrokenRule } from '../lib/schema-rules.ts';
import type { Tool, ToolContext } from './tool.ts';
import { findTool, toolNames } from './tool-list.ts';

interface Call {
  readonly name: string;
  readonly args: unknown;
}

/** @throws ProtocolError for an unknown tool, a key without its scope, or wrong arguments */
function admitted({ name, args }: Call, { scopes }: McpServerDeps): { tool: Tool; args: unknown } {
  const tool = findTool(name);
  if (!tool) {
    const shown = JSON.stringify(name.slice(0, 100));
    const meant = nearest(name.slice(0, 100), toolNames);
    const hint = meant === undefined ? `There are ${toolNames.join(', ')}.` : `Did you mean ${meant}?`;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${shown}. ${hint}`);
  }
  if (!scopes.includes(tool.scope)) {
    const sentence = `${name} needs an API key with the scope ${tool.scope}; this one has ${scopes.join(', ')}.`;
    throw new ProtocolError(ProtocolErrorCode.InvalidRequest, sentence);
  }
  try {
    return { tool, args: checkedArguments(tool, args) };
  } catch (error) {
    if (error instanceof WrongArguments || error instanceof AppError)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
    throw error;
  }
}

/**
 * Calls a tool. A refusal of the domain is the result of the
 * call, marked as an error, so that the agent can react.
 * @throws ProtocolError if the call itself is wrong, or the service failed
 */
export async function callTool(deps: McpServerDeps, call: Call): Promise<CallToolResult> {
  const began = performance.now();
  const finish = (tool: string, outcome: CallOutcome) =>
    deps.onCall({ tool, outcome, ms: performance.now() - began });
  let known: { tool: Tool; args: unknown };
  try {
    known = admitted(call, deps);
  } catch (error) {
    // Only known names: a client may send any text.
    finish(findTool(call.name)?.name ?? 'unknown', 'refused');
    throw error;
  }
  const { tool, args } = known;
  try {
    const structuredContent = fenced(await tool.run(calledBy(deps, tool), withRoom(args)));
    finish(tool.name, 'ok');
    return { content: [{ type: 'text', text: toJson(structuredContent) }], structuredContent };
  } catch (error) {
    const isToBeSaid = error instanceof AppError && error.code !== 'INTERNAL';
    finish(tool.name, isToBeSaid ? 'error' : 'failed');
    if (isToBeSaid) return toToolError(error);
    deps.onFailure(error);
    throw new ProtocolError(
      ProtocolErrorCode.InternalError,
      'Something went wrong in the server; its log says what.',
    );
  }
}

/** The context in which a memory that is written names the tool. */
function calledBy({ user, ...context }: ToolContext, { name }: Tool): ToolContext {
  return { ...context, user: user.by ? { ...user, by: { ...user.by, tool: name } } : user };
}

/** The arguments with a budget that leaves room for the mark of the fence. */
function withRoom(args: unknown): unknown {
  const { maxTokens } = args as { readonly maxTokens?: unknown };
  return typeof maxTokens === 'number' ? { ...(args as object), maxTokens: maxTokens - markTokens } : args;
}

/** Validator of arguments, as for HTTP bodies: no coercion of types, lengths in UTF-16 units. */
const ajv = new Ajv({
  allErrors: false,
  unicode: false,
  strict: false,
  strictNumbers: true,
  useDefaults: true,
  coerceTypes: false,
  logger: false,
  verbose: true,
  // Formats are hints for agents; the reader of a value checks it.
  validateFormats: false,
} as ConstructorParameters<typeof Ajv>[0]);

const validators = new WeakMap<Tool, ValidateFunction>();

function validatorOf(tool: Tool): ValidateFunction {
  const known = validators.get(tool);
  if (known) return known;
  const made = ajv.compile(tool.input);
  validators.set(tool, made);
  return made;
}

/** The arguments of a call are wrong; the message explains it to the agent. */
class WrongArguments extends Error {}

function sentence(tool: Tool, error: ErrorObject): string {
  if (error.keyword === 'additionalProperties') {
    const { additionalProperty } = error.params as { additionalProperty: string };
    const known = Object.keys(tool.input.properties).join(', ');
    return `${tool.name} has no argument ${JSON.stringify(additionalProperty.slice(0, 100))}; it has ${known}.`;
  }
  const { field, rule } = toBrokenRule(error);
  return `${field === '' ? 'The arguments' : field} ${rule}.`;
}

/**
 * The arguments with defaults.
 * @throws WrongArguments; AppError 422 for texts that cannot be stored
 */
function checkedArguments(tool: Tool, given: unknown): unknown {
  // Checked before any recursive code without a depth limit.
  assertTexts(given);
  const args = structuredClone(given ?? {});
  const validate = validatorOf(tool);
  if (validate(args)) return args;
  const [error] = validate.errors ?? [];
  throw new WrongArguments(error ? sentence(tool, error) : 'The arguments are not valid.');
}

/** Advice to an agent about a failure, if the message alone does not give it. */
const nextSteps: Partial<Record<AppError['code'], string>> = {
  MEMORY_NOT_FOUND: 'Find it with `search` or `recent`; it may have been forgotten.',
  CONVERSATION_NOT_FOUND: 'List them with `conversations`, or leave conversationId out.',
  TOPIC_NOT_FOUND: 'List them with `topics`.',
  MEMORY_NAME_CONFLICT: 'Choose another name, or `remember` under this one to add a version.',
  MEMORY_HEAD_CONFLICT: 'Read the newest version with `get` and decide again.',
  RELATIONSHIP_EXISTS: 'There is nothing to do.',
  RELATIONSHIP_CYCLE: 'Read both memories with `get`: the other one replaces this one already.',
  STORAGE_FULL: 'Nothing was written. Tell the user that the disk of the memory service is full.',
  STORAGE_READ_ONLY: 'Nothing was written. Tell the user that this memory service only reads.',
  STORAGE_UNAVAILABLE: 'Try again in some seconds.',
  OVERLOADED: 'Try again in some seconds.',
};

/** A failure of a tool as a message that the agent can act on. */
function toToolError({ message, code, retryAfter }: AppError) {
  const ended = /[.!?]$/.test(message) ? message : `${message}.`;
  const wait = retryAfter === undefined ? undefined : `Try again in ${Math.ceil(retryAfter)} s.`;
  const advice = wait ?? nextSteps[code];
  const text = `${ended}${advice === undefined ? '' : ` ${advice}`} (${code})`;
  return { content: [{ type: 'text' as const, text }], isError: true };
}

/** ok: done; error: refused by the domain; refused: a wrong call; failed: an error of the service. */
type CallOutcome = 'ok' | 'error' | 'refused' | 'failed';

export interface ToolCall {
  /** A known tool name, or `unknown`. */
  readonly tool: string;
  readonly outcome: CallOutcome;
  readonly ms: number;
}

export interface McpServerDeps extends ToolContext {
  /** Also lists the tools under the names that agents of this API know. */
  readonly showsKnownNames: boolean;
  /** Runs one call in order: calls that arrive together run one after another. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  /** Counts a call. */
  onCall(call: ToolCall): void;
}
