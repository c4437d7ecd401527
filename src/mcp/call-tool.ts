import { type CallToolResult, ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { AppError } from '../domain/shared/errors.ts';
import { nearest } from '../lib/names.ts';
import { checkedArguments, WrongArguments } from './arguments.ts';
import type { CallOutcome, McpServerDeps } from './server-deps.ts';
import type { Tool } from './tool.ts';
import { toToolError } from './tool-error.ts';
import { findTool, toolNames } from './tool-list.ts';

interface Call {
  readonly name: string;
  readonly args: unknown;
}

/** @throws McpError for an unknown tool, a key without its scope, or wrong arguments */
function admitted({ name, args }: Call, { scopes }: McpServerDeps): { tool: Tool; args: unknown } {
  const tool = findTool(name);
  if (!tool) {
    const shown = JSON.stringify(name.slice(0, 100));
    const meant = nearest(name.slice(0, 100), toolNames);
    const hint = meant === undefined ? `There are ${toolNames.join(', ')}.` : `Did you mean ${meant}?`;
    throw new McpError(ErrorCode.InvalidParams, `There is no tool ${shown}. ${hint}`);
  }
  if (!scopes.includes(tool.scope)) {
    const sentence = `${name} needs an API key with the scope ${tool.scope}; this one has ${scopes.join(', ')}.`;
    throw new McpError(ErrorCode.InvalidRequest, sentence);
  }
  try {
    return { tool, args: checkedArguments(tool, args) };
  } catch (error) {
    if (error instanceof WrongArguments || error instanceof AppError)
      throw new McpError(ErrorCode.InvalidParams, error.message);
    throw error;
  }
}

/**
 * Calls a tool. A refusal of the domain is the result of the
 * call, marked as an error, so that the agent can react.
 * @throws McpError if the call itself is wrong, or the service failed
 */
export async function callTool(deps: McpServerDeps, call: Call): Promise<CallToolResult> {
  const began = performance.now();
  const finish = (tool: string, outcome: CallOutcome) =>
    deps.onCall({ tool, outcome, ms: performance.now() - began });
  let known: { tool: Tool; args: unknown };
  try {
    known = admitted(call, deps);
  } catch (error) {
    // Only names that we know: a client may send any text.
    finish(findTool(call.name)?.name ?? 'unknown', 'refused');
    throw error;
  }
  const { tool, args } = known;
  try {
    const structuredContent = await tool.run(deps, args);
    finish(tool.name, 'ok');
    return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
  } catch (error) {
    const isToBeSaid = error instanceof AppError && error.code !== 'INTERNAL';
    finish(tool.name, isToBeSaid ? 'error' : 'failed');
    if (isToBeSaid) return toToolError(error);
    deps.onFailure(error);
    throw new McpError(ErrorCode.InternalError, 'Something went wrong in the server; its log says what.');
  }
}
