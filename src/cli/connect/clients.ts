import { isAbsolute, join } from 'node:path';
import type { Place } from '../../config/data-folder.ts';
import type { Setup } from '../init.ts';
import { type HookProgram, hermesPlugin, openclawPlugin, opencodePlugin } from './agent-plugins.ts';
import { type Edit, hookEntries, hookMark, jsonMember, markedBlock, ownFile } from './edit.ts';

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

/** Rules for agents, as docs/connect.md has them. */
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

/** Programs and environment of `memoryd hook`. */
const hookOf = ({ command, args, env }: Setup['stdio']): HookProgram => ({
  program: [command, ...args.slice(0, -1), 'hook'],
  env,
});

/** The line of a shell, the same for every host: Cursor reads the hooks of Claude Code too, and runs equal ones once. */
function hookLine(stdio: Setup['stdio']): string {
  const { program, env } = hookOf(stdio);
  const set = Object.entries(env).map(([name, value]) => `${name}=${shellWord(value)}`);
  return [...set, ...program.map(shellWord), hookMark].join(' ');
}

/** Seconds that a host waits: for memories before a prompt, and for a session to be stored. */
const waits = { recall: 5, capture: 60 } as const;

/**
 * Memories for a prompt and a new session, and the session stored before it ends or is cut: hooks of Claude Code
 * (code.claude.com/docs/en/hooks), and of Codex, which took them over (developers.openai.com/codex/hooks; SessionEnd
 * since 0.145, openai/codex#33895).
 */
function sessionHooks(stdio: Setup['stdio']): Edit {
  const command = hookLine(stdio);
  const entry = (timeout: number) => ({ hooks: [{ type: 'command', command, timeout }] });
  return hookEntries({
    SessionStart: entry(waits.recall),
    UserPromptSubmit: entry(waits.recall),
    PreCompact: entry(waits.capture),
    SessionEnd: entry(waits.capture),
  });
}

/**
 * cursor.com/docs/hooks: `additional_context` of sessionStart. That of beforeSubmitPrompt is taken by clients of
 * September 2026 (DietrichGebert/ponytail#869, vshulcz/deja-vu#3052); earlier ones pass it over.
 */
function cursorHooks(stdio: Setup['stdio']): Edit {
  const entry = { command: hookLine(stdio), timeout: waits.recall };
  return hookEntries({ sessionStart: entry, beforeSubmitPrompt: entry }, { version: 1 });
}

/** code.visualstudio.com/docs/agent-customization/hooks: of its events only SessionStart takes a context. */
function vscodeHooks(stdio: Setup['stdio']): Edit {
  return hookEntries({
    SessionStart: { type: 'command', command: hookLine(stdio), timeout: waits.recall },
  });
}

/** Lines of a program in a file, between comments by which they are found again. */
const program = (path: string, comment: '//' | '#', lines: readonly string[]): ClientFile => ({
  path,
  edit: markedBlock({
    begin: `${comment} memoryd connect: begin`,
    end: `${comment} memoryd connect: end`,
    lines,
  }),
});

function openclawFiles(folder: string, stdio: Setup['stdio']): ClientFile[] {
  const { index, manifest, package: npm } = openclawPlugin(hookOf(stdio));
  return [
    { path: join(folder, 'package.json'), edit: ownFile(npm) },
    { path: join(folder, 'openclaw.plugin.json'), edit: ownFile(manifest) },
    program(join(folder, 'index.js'), '//', index),
  ];
}

function hermesFiles(folder: string, stdio: Setup['stdio']): ClientFile[] {
  const { init, manifest } = hermesPlugin(hookOf(stdio));
  return [
    program(join(folder, '__init__.py'), '#', init),
    program(join(folder, 'plugin.yaml'), '#', manifest),
  ];
}

/** Folders of this machine, and the entries that clients share. */
interface Context {
  readonly inHome: (...names: string[]) => string;
  /** See `settingsFolder`. */
  readonly settings: string;
  readonly openCode: string;
  /** Of MCP. */
  readonly url: string;
  readonly authorization: string;
  readonly headers: { readonly Authorization: string };
  readonly stdio: Setup['stdio'];
}

const claudeCode = ({ inHome, url, headers, stdio }: Context): Client => ({
  name: 'claude-code',
  sign: inHome('.claude'),
  files: [
    {
      path: inHome('.claude.json'),
      edit: jsonMember(['mcpServers', 'memoryd'], { type: 'http', url, headers }),
    },
    rulesIn(inHome('.claude', 'CLAUDE.md')),
    { path: inHome('.claude', 'settings.json'), edit: sessionHooks(stdio) },
  ],
});

const codex = ({ inHome, url, authorization, stdio }: Context): Client => ({
  name: 'codex',
  sign: inHome('.codex'),
  files: [
    { path: inHome('.codex', 'config.toml'), edit: codexServer(url, authorization) },
    rulesIn(inHome('.codex', 'AGENTS.md')),
    { path: inHome('.codex', 'hooks.json'), edit: sessionHooks(stdio) },
  ],
});

const cursor = ({ inHome, url, headers, stdio }: Context): Client => ({
  name: 'cursor',
  sign: inHome('.cursor'),
  files: [
    { path: inHome('.cursor', 'mcp.json'), edit: jsonMember(['mcpServers', 'memoryd'], { url, headers }) },
    { path: inHome('.cursor', 'hooks.json'), edit: cursorHooks(stdio) },
  ],
});

const openCode = ({ openCode: folder, url, headers, stdio }: Context): Client => ({
  name: 'opencode',
  sign: folder,
  files: [
    {
      path: join(folder, 'opencode.json'),
      edit: jsonMember(['mcp', 'memoryd'], { type: 'remote', url, enabled: true, headers }),
    },
    rulesIn(join(folder, 'AGENTS.md')),
    program(join(folder, 'plugins', 'memoryd.js'), '//', opencodePlugin(hookOf(stdio))),
  ],
});

const vscode = ({ inHome, settings, url, headers, stdio }: Context): Client => ({
  name: 'vscode',
  sign: join(settings, 'Code', 'User'),
  files: [
    {
      path: join(settings, 'Code', 'User', 'mcp.json'),
      edit: jsonMember(['servers', 'memoryd'], { type: 'http', url, headers }),
    },
    { path: inHome('.copilot', 'hooks', 'memoryd.json'), edit: vscodeHooks(stdio) },
  ],
});

const openClaw = ({ inHome, stdio }: Context): Client => ({
  name: 'openclaw',
  sign: inHome('.openclaw'),
  files: openclawFiles(inHome('.openclaw', 'extensions', 'memoryd'), stdio),
});

const hermes = ({ inHome, stdio }: Context): Client => ({
  name: 'hermes',
  sign: inHome('.hermes'),
  files: hermesFiles(inHome('.hermes', 'plugins', 'memoryd'), stdio),
});

const claudeDesktop = ({ settings, stdio }: Context): Client => ({
  name: 'claude-desktop',
  sign: join(settings, 'Claude'),
  files: [
    {
      path: join(settings, 'Claude', 'claude_desktop_config.json'),
      edit: jsonMember(['mcpServers', 'memoryd'], stdio),
    },
  ],
});

/** Clients that can be connected. @param setup with the address of the service and the key */
export function clientsIn(place: Place, { url, key, stdio }: Setup): readonly Client[] {
  const authorization = `Bearer ${key.inFile}`;
  const context: Context = {
    inHome: (...names) => join(place.home, ...names),
    settings: settingsFolder(place),
    openCode: join(xdgFolder(place, 'XDG_CONFIG_HOME', '.config'), 'opencode'),
    url: `${url}/mcp`,
    authorization,
    headers: { Authorization: authorization },
    stdio,
  };
  const all = [claudeCode, codex, cursor, openCode, vscode, openClaw, hermes, claudeDesktop];
  return all.map((clientOf) => clientOf(context));
}
