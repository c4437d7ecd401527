/** What an agent does over MCP, by the official client: `npx tsx mcp.ts`. MEMORYD_URL and MEMORYD_KEY name the service. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const { MEMORYD_URL = 'http://localhost:3000', MEMORYD_KEY } = process.env;
const client = new Client({ name: 'example', version: '1.0.0' });
await client.connect(
  new StreamableHTTPClientTransport(new URL(`${MEMORYD_URL}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${MEMORYD_KEY}` } },
  }),
);
const { tools } = await client.listTools();
console.log('tools:', tools.map(({ name }) => name).join(', '));
const call = async (name: string, args: Record<string, unknown>) =>
  (await client.callTool({ name, arguments: args })).structuredContent as {
    readonly results: readonly { readonly content: string }[];
  };
await call('remember', { content: 'The staging database listens on port 5433.', topics: ['staging'] });
const { results } = await call('search', { query: 'which port has the staging database?' });
console.log('found:', results[0].content);
await client.close();
