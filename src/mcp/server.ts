import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv-provider.js';
import { AppError } from '../domain/shared/errors.ts';
import { version } from '../lib/version.ts';
import { callTool } from './call-tool.ts';
import { instructions } from './instructions.ts';
import { getPrompt, prompts } from './prompts.ts';
import { listResources, readResource, resourceTemplates } from './resources.ts';
import type { McpServerDeps } from './server-deps.ts';
import { listTools } from './tool-list.ts';

/** Made once: a server makes one of its own otherwise, which takes longer than a search. */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

/** Runs a call in its turn, and converts its errors to protocol errors with a sentence. */
async function reported<T>({ inTurn, onFailure }: McpServerDeps, work: () => Promise<T>): Promise<T> {
  try {
    return await inTurn(work);
  } catch (error) {
    if (error instanceof McpError) throw error;
    if (error instanceof AppError && error.code !== 'INTERNAL')
      throw new McpError(ErrorCode.InternalError, error.message, { code: error.code });
    onFailure(error);
    throw new McpError(ErrorCode.InternalError, 'Something went wrong in the server; its log says what.');
  }
}

/** A server for one client: of one request over HTTP, of a process on standard streams. */
export function createMcpServer(deps: McpServerDeps): Server {
  const capabilities = { tools: {}, resources: {}, prompts: {} };
  const info = { name: 'memoryd', title: 'memoryd', version };
  const server = new Server(info, { capabilities, instructions, jsonSchemaValidator });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listTools(deps.showsKnownNames) }));
  server.setRequestHandler(CallToolRequestSchema, ({ params: { name, arguments: args } }) =>
    reported(deps, () => callTool(deps, { name, args })),
  );
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) =>
    reported(deps, () => getPrompt(deps, params)),
  );
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates }));
  server.setRequestHandler(ListResourcesRequestSchema, () =>
    reported(deps, async () => ({ resources: await listResources(deps) })),
  );
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) =>
    reported(deps, () => readResource(deps, uri)),
  );
  return server;
}
