import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';

export interface McpClient {
  readonly client: Client;
  readonly transport: StreamableHTTPClientTransport;
  /** Calls a tool and gives its structured answer. @throws where the answer is an error */
  call<T = Record<string, unknown>>(name: string, args?: Record<string, unknown>): Promise<T>;
  /** Calls a tool and gives whatever comes back. */
  result(name: string, args?: Record<string, unknown>): Promise<CallToolResult>;
  close(): Promise<void>;
}

/** The official client over streamable HTTP, as the owner of a key. */
export async function connectMcp(
  to: { url: string; key?: string },
  path = '/mcp',
  headers: Record<string, string> = {},
): Promise<McpClient> {
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(path, to.url), {
    requestInit: { headers: { authorization: `Bearer ${to.key}`, ...headers } },
  });
  await client.connect(transport);
  return { ...callers(client), client, transport, close: () => client.close() };
}

export function callers(client: Client): Pick<McpClient, 'call' | 'result'> {
  const result = async (name: string, args: Record<string, unknown> = {}) =>
    (await client.callTool({ name, arguments: args })) as CallToolResult;
  return {
    result,
    call: async <T>(name: string, args?: Record<string, unknown>) => {
      const response = await result(name, args);
      if (response.isError) throw new Error(textOf(response));
      return response.structuredContent as T;
    },
  };
}

export function textOf({ content }: CallToolResult): string {
  const [first] = content;
  return first?.type === 'text' ? first.text : '';
}
