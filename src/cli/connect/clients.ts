import { isAbsolute, join } from 'node:path';
import type { Place } from '../../config/data-folder.ts';
import type { Setup } from '../init.ts';
import { type Edit, hookEntries, hookMark, jsonMember, markedBlock } from './edit.ts';

/** One file of a client, and what `connect` writes into it. */
export interface ClientFile {
  readonly path: string;
  readonly edit: Edit;
}

export interface Client {
  readonly name: string;
  /** A folder or file that is there if the client is used. */
  readonly sign: string;
  readonly files: readonly ClientFile[];
}

/** Rules for agents, as docs/agents.md has them. */
export const rules = `## Memory
- At the start of a task call \`build_context\` with the task and the files to touch, and use what it says.
- Before asking me something, or deciding something, \`search\`: it may be known.
- When something is decided, fixed, found out or wished for, \`remember\` it at once: one thing each, with the reason,
  in sentences that make sense without this conversation, with one to three topics.
- What is no longer so: \`remember\` the new with \`supersedes\` (its id) or under the same \`name\`. Do not delete it.
- At the end \`remember\` what is still open (and \`update\` its outcome when it is done).
- Never store passwords, keys or tokens.`;

const rulesIn = (path: string): ClientFile => ({
  path,
  edit: markedBlock({
    begin: '<!-- memoryd connect: begin -->',
    end: '<!-- memoryd connect: end -->',
    lines: rules.split('\n'),
  }),
});

/** A folder of the XDG specification, by which a relative path is to be ignored. */
export function xdgFolder(
  { home, environment }: Pick<Place, 'home' | 'environment'>,
  variable: string,
  byDefault: string,
): string {
  const given = environment[variable] ?? '';
  return isAbsolute(given) ? given : join(home, byDefault);
}

/** The folder in which programs with a window keep their settings. */
function settingsFolder({ home, platform, environment }: Place): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  if (platform === 'win32') return environment.APPDATA ?? join(home, 'AppData', 'Roaming');
  return xdgFolder({ home, environment }, 'XDG_CONFIG_HOME', '.config');
}

/** A table of Codex; text of JSON is text of TOML, too. */
function codexServer(url: string, authorization: string): Edit {
  return markedBlock({
    begin: '# memoryd connect: begin',
    end: '# memoryd connect: end',
    lines: [
      '[mcp_servers.memoryd]',
      `url = ${JSON.stringify(url)}`,
      `http_headers = { Authorization = ${JSON.stringify(authorization)} }`,
    ],
    not: {
      pattern: /^\s*(?:\[\s*mcp_servers\s*\.\s*["']?memoryd\b|mcp_servers\s*[=.])/m,
      sentence: 'has an entry for memoryd of its own, or its servers in one line: edit it by hand',
    },
  });
}

/** A word of a shell, as one. */
const shellWord = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** The hooks of Claude Code: memories for a prompt and a new session, and the session stored before it ends or is cut. */
function claudeHooks({ command, args, env }: Setup['stdio']): Edit {
  const set = Object.entries(env).map(([name, value]) => `${name}=${shellWord(value)}`);
  const program = [command, ...args.slice(0, -1), 'hook'].map(shellWord);
  const line = [...set, ...program, hookMark].join(' ');
  const entry = (timeout: number) => ({ hooks: [{ type: 'command', command: line, timeout }] });
  return hookEntries({
    SessionStart: entry(5),
    UserPromptSubmit: entry(5),
    PreCompact: entry(60),
    SessionEnd: entry(60),
  });
}

/** Clients that can be connected. @param setup with the address of the service and the key */
export function clientsIn(place: Place, { url, key, stdio }: Setup): readonly Client[] {
  const inHome = (...parts: string[]) => join(place.home, ...parts);
  const settings = settingsFolder(place);
  const address = `${url}/mcp`;
  const authorization = `Bearer ${key.inFile}`;
  const headers = { Authorization: authorization };
  const xdg = xdgFolder(place, 'XDG_CONFIG_HOME', '.config');
  return [
    {
      name: 'claude-code',
      sign: inHome('.claude'),
      files: [
        {
          path: inHome('.claude.json'),
          edit: jsonMember(['mcpServers', 'memoryd'], { type: 'http', url: address, headers }),
        },
        rulesIn(inHome('.claude', 'CLAUDE.md')),
        { path: inHome('.claude', 'settings.json'), edit: claudeHooks(stdio) },
      ],
    },
    {
      name: 'codex',
      sign: inHome('.codex'),
      files: [
        { path: inHome('.codex', 'config.toml'), edit: codexServer(address, authorization) },
        rulesIn(inHome('.codex', 'AGENTS.md')),
      ],
    },
    {
      name: 'cursor',
      sign: inHome('.cursor'),
      files: [
        {
          path: inHome('.cursor', 'mcp.json'),
          edit: jsonMember(['mcpServers', 'memoryd'], { url: address, headers }),
        },
      ],
    },
    {
      name: 'opencode',
      sign: join(xdg, 'opencode'),
      files: [
        {
          path: join(xdg, 'opencode', 'opencode.json'),
          edit: jsonMember(['mcp', 'memoryd'], { type: 'remote', url: address, enabled: true, headers }),
        },
        rulesIn(join(xdg, 'opencode', 'AGENTS.md')),
      ],
    },
    {
      name: 'vscode',
      sign: join(settings, 'Code', 'User'),
      files: [
        {
          path: join(settings, 'Code', 'User', 'mcp.json'),
          edit: jsonMember(['servers', 'memoryd'], { type: 'http', url: address, headers }),
        },
      ],
    },
    {
      name: 'claude-desktop',
      sign: join(settings, 'Claude'),
      files: [
        {
          path: join(settings, 'Claude', 'claude_desktop_config.json'),
          edit: jsonMember(['mcpServers', 'memoryd'], stdio),
        },
      ],
    },
  ];
}
