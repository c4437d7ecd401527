import type { Setup } from './setup.ts';

export interface Client {
  /** Name of the client as `--client` takes it. */
  readonly name: string;
  readonly title: string;
  /** The file or command that the text is for. */
  readonly place: string;
  text(setup: Setup): string;
}

const json = (value: unknown) => JSON.stringify(value, null, 2);
const bearer = (key: string) => `Authorization: Bearer ${key}`;

/** An entry for a client that speaks HTTP. */
const overHttp = ({ url, key }: Setup) => ({
  url: `${url}/mcp`,
  headers: { Authorization: `Bearer ${key.inFile}` },
});

/** The text to paste for each client, in the order of printing. */
export const clients: readonly Client[] = [
  {
    name: 'claude-code',
    title: 'Claude Code',
    place: 'a shell',
    text: ({ url, key }) =>
      `claude mcp add --scope user --transport http memoryd ${url}/mcp --header "${bearer(key.inShell)}"`,
  },
  {
    name: 'cursor',
    title: 'Cursor',
    place: '~/.cursor/mcp.json, or .cursor/mcp.json of a project',
    text: (setup) => json({ mcpServers: { memoryd: overHttp(setup) } }),
  },
  {
    name: 'claude-desktop',
    title: 'Claude Desktop',
    place: 'claude_desktop_config.json (Settings, Developer, Edit Config)',
    text: ({ stdio }) => json({ mcpServers: { memoryd: stdio } }),
  },
  {
    name: 'vscode',
    title: 'VS Code',
    place: '.vscode/mcp.json of a project',
    text: (setup) => json({ servers: { memoryd: { type: 'http', ...overHttp(setup) } } }),
  },
  {
    name: 'mcp-http',
    title: 'Any other MCP client, over HTTP',
    place: 'its list of servers',
    text: (setup) => json({ mcpServers: { memoryd: { type: 'http', ...overHttp(setup) } } }),
  },
  {
    name: 'mcp-stdio',
    title: 'Any other MCP client, over standard input and output',
    place: 'its list of servers',
    text: ({ stdio }) => json({ mcpServers: { memoryd: stdio } }),
  },
  {
    name: 'typescript',
    title: 'TypeScript (npm install @memnexus-ai/typescript-sdk)',
    place: 'a program',
    text: ({ url, key }) => `import { Memnexus } from '@memnexus-ai/typescript-sdk';

const memory = new Memnexus({ baseUrl: '${url}', token: '${key.inFile}' });
await memory.memories.createMemory({ content: 'Ana prefers the window seat', conversationId: 'NEW' });
const found = await memory.memories.searchMemories({ query: 'which seat does ana like' });
console.log(found.data?.data?.map((hit) => hit.content));`,
  },
  {
    name: 'mx',
    title: 'mx, a command line (npm install -g @memnexus-ai/cli)',
    place: 'a shell',
    text: ({ url, key }) => `export MX_API_URL=${url} MX_API_KEY="${key.inShell}"
mx memories create --conversation-id NEW --content 'Ana prefers the window seat'
mx memories search --query 'which seat does ana like'`,
  },
  {
    name: 'curl',
    title: 'curl',
    place: 'a shell',
    text: ({ url, key }) => `KEY="${key.inShell}"
curl -sw '\\n' ${url}/api/memories -H "${bearer('$KEY')}" -H 'Content-Type: application/json' \\
  -d '{"content": "Ana prefers the window seat"}'
curl -sw '\\n' "${url}/api/memories/search?q=which+seat+does+ana+like" -H "${bearer('$KEY')}"`,
  },
];
