import {
  Client as Client2026,
  StreamableHTTPClientTransport as HttpTransport2026,
} from '@modelcontextprotocol/client';
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

/** What the official clients of both eras have in common, as far as tests use it. */
export interface AnyClient {
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  listTools(): Promise<{ tools: readonly { readonly name: string }[] }>;
  listResources(): Promise<{ resources: readonly { readonly uri: string }[] }>;
  readResource(read: { uri: string }): Promise<{ contents: readonly unknown[] }>;
  getPrompt(get: {
    name: string;
    arguments?: Record<string, string>;
  }): Promise<{ messages: readonly unknown[] }>;
  getInstructions(): string | undefined;
  close(): Promise<void>;
}

/** The official clients: v1, as those of 2025 do; v2, which speaks 2026-07-28 alone; and v2 as it is unless told. */
export const clientEras = ['v1', 'v2 of 2026', 'v2 of 2025'] as const;

/** An official client of an era. @param urls of services on one store, asked in turns */
export async function connectEra(
  era: (typeof clientEras)[number],
  { urls, key }: { readonly urls: readonly string[]; readonly key: string },
): Promise<Pick<McpClient, 'call' | 'result' | 'close'> & { readonly client: AnyClient }> {
  let asked = 0;
  const inTurns = (_url: string | URL, init?: RequestInit) =>
    fetch(new URL('/mcp', urls[asked++ % urls.length]), init);
  const options = { requestInit: { headers: { authorization: `Bearer ${key}` } }, fetch: inTurns };
  const info = { name: 'test', version: '1' };
  const address = new URL('/mcp', urls[0]);
  if (era === 'v1') {
    const client = new Client(info);
    await client.connect(new StreamableHTTPClientTransport(address, options));
    return { client, ...callers(client), close: () => client.close() };
  }
  const mode = era === 'v2 of 2026' ? { pin: '2026-07-28' } : ('legacy' as const);
  const client = new Client2026(info, { versionNegotiation: { mode } });
  await client.connect(new HttpTransport2026(address, options));
  return { client, ...callers(client), close: () => client.close() };
}

export function callers(client: Pick<AnyClient, 'callTool'>): Pick<McpClient, 'call' | 'result'> {
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
