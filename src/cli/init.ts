import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { sqlitePathOf } from '../config/data-folder.ts';
import { clientVariables, loadClientSettings, loadConfig } from '../config/load.ts';
import type { Config } from '../config/settings.ts';
import { addServiceOptions, firstKeyPath } from './client/service.ts';
import { print } from './output/print.ts';

interface InitOptions {
  readonly client?: string;
  readonly url?: string;
  readonly key?: string;
}

function describe({ title, place, text }: Client, setup: Setup): string {
  return `# ${title}\n# into ${place}:\n\n${text(setup)}\n`;
}

/** Notes for the person who pastes the texts, written to standard error. */
function notes({ url, key }: Setup, isTerminal: boolean): string[] {
  const lines: string[] = [];
  if (key.source === undefined)
    lines.push(`There is no key yet: \`memoryd serve\` makes one when it starts for the first time.`);
  else if (!isTerminal && key.inFile.startsWith('<'))
    lines.push(`The key is in ${key.source}; it is printed on a terminal, or where --key gives it.`);
  lines.push('`memoryd open` prints a link to the explorer, a page to look at what is stored.');
  lines.push(`memoryd writes to no file of a client. ${url} is where the service is expected (--url).`);
  return lines;
}

/** `memoryd init` */
export function initCommand(): Command {
  const names = clients.map(({ name }) => name);
  const only = new Option('--client <name>', 'one of them, its text alone').choices(names);
  return addServiceOptions(new Command('init').addOption(only)).action(
    ({ client: name, url, key }: InitOptions) => {
      const isTerminal = process.stdout.isTTY;
      const setup = findSetup({ url, key, showsKey: isTerminal });
      const [client] = clients.filter((each) => each.name === name);
      if (client) print(client.text(setup));
      else for (const each of clients) print(describe(each, setup));
      for (const line of notes(setup, isTerminal)) process.stderr.write(`${line}\n`);
    },
  );
}

/** The values in the text for a client. */
export interface Setup {
  /** Address of the service, without `/mcp`. */
  readonly url: string;
  readonly key: {
    /** For a line of a shell: an expansion, so that the line does not hold the key. */
    readonly inShell: string;
    /** For a file of settings: the key if it may be shown, else `<API_KEY>`. */
    readonly inFile: string;
    /** File of the key; undefined if none is known yet. */
    readonly source: string | undefined;
  };
  /** How a client starts `memoryd mcp`. */
  readonly stdio: {
    readonly command: string;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  };
}

interface SetupOptions {
  readonly url?: string;
  readonly key?: string;
  /** Whether the key that was found may be printed. */
  readonly showsKey: boolean;
}

const placeholder = '<API_KEY>';
const portDefault = 3000;

/** The service, its key and its command as this process knows them. */
export function findSetup({ url, key, showsKey }: SetupOptions): Setup {
  const config = loadConfig();
  const settings = loadClientSettings();
  const found = findKey(config, { given: key, exported: settings.key });
  const remote = url ?? settings.url;
  const inFile = key ?? (showsKey ? found.value : undefined) ?? placeholder;
  return {
    url: (remote ?? `http://localhost:${config.port}`).replace(/\/+$/, ''),
    key: { inShell: found.inShell, inFile, source: found.source },
    stdio: {
      ...launcher(),
      env: remote === undefined ? localEnvironment(config, inFile) : remoteEnvironment(remote, inFile),
    },
  };
}

interface FoundKey {
  readonly value: string | undefined;
  readonly inShell: string;
  readonly source: string | undefined;
}

function findKey(config: Config, { given, exported }: { given?: string; exported?: string }): FoundKey {
  if (given !== undefined)
    return { value: given, inShell: given.replace(/[\\"$`]/g, '\\$&'), source: '--key' };
  const named = exported === undefined ? config.apiKey : exported;
  if (named !== undefined) {
    const variable = exported === undefined ? 'MEMORYD_API_KEY' : clientVariables.key;
    return { value: named, inShell: `$${variable}`, source: variable };
  }
  const path = resolve(firstKeyPath(config));
  const isThere = existsSync(path);
  return {
    value: isThere ? readFileSync(path, 'utf8').trim() : undefined,
    inShell: `$(cat '${path.replaceAll("'", `'\\''`)}')`,
    source: isThere ? path : undefined,
  };
}

/**
 * The program by its path, which works wherever a client
 * starts it; by its name if it runs from the cache of npx.
 */
function launcher(): Pick<Setup['stdio'], 'command' | 'args'> {
  const path = realpathSync(process.argv[1]);
  if (/[\\/]_npx[\\/]/.test(path)) return { command: 'npx', args: ['-y', 'memoryd', 'mcp'] };
  return { command: process.execPath, args: [path, 'mcp'] };
}

const remoteEnvironment = (url: string, key: string) => ({
  [clientVariables.url]: url,
  [clientVariables.key]: key,
});

/** Environment of `memoryd mcp` when it is started in another folder, without the settings of this one. */
function localEnvironment(config: Config, key: string): Record<string, string> {
  const sqlitePath = sqlitePathOf(config);
  // The URL of a PostgreSQL server contains a password, so clients connect through the service.
  if (sqlitePath === undefined) return remoteEnvironment(`http://localhost:${config.port}`, key);
  const folder = resolve(config.dataDir);
  const isInFolder = resolve(sqlitePath) === resolve(folder, 'memoryd.db');
  const store: Record<string, string> = isInFolder
    ? { MEMORYD_DATA_DIR: folder }
    : { MEMORYD_DATABASE_URL: `sqlite:${resolve(sqlitePath)}` };
  return { ...store, ...(config.port !== portDefault && { MEMORYD_PORT: String(config.port) }) };
}

interface Client {
  /** Name of the client as `--client` takes it. */
  readonly name: string;
  readonly title: string;
  /** The file or command that the text is for. */
  readonly place: string;
  text(setup: Setup): string;
}

const json = (value: unknown) => JSON.stringify(value, null, 2);
const bearer = (key: string) => `Authorization: Bearer ${key}`;

/** An entry for a client that connects over HTTP. */
const overHttp = ({ url, key }: Setup) => ({
  url: `${url}/mcp`,
  headers: { Authorization: `Bearer ${key.inFile}` },
});

/** cursor.com/docs/context/mcp/install-links: the entry in base64. */
function cursorLink(setup: Setup): string {
  const config = Buffer.from(JSON.stringify(overHttp(setup))).toString('base64');
  return `cursor://anysphere.cursor-deeplink/mcp/install?name=memoryd&config=${encodeURIComponent(config)}`;
}

/** code.visualstudio.com/api/extension-guides/ai/mcp: the entry with its name. */
const vscodeLink = (setup: Setup): string =>
  `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: 'memoryd', type: 'http', ...overHttp(setup) }))}`;

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
    name: 'cursor-link',
    title: 'Cursor, by a link',
    place: 'a browser, or the shell: open LINK, xdg-open LINK',
    text: cursorLink,
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
    name: 'vscode-link',
    title: 'VS Code, by a link',
    place: 'a browser, or the shell: open LINK, xdg-open LINK',
    text: vscodeLink,
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
