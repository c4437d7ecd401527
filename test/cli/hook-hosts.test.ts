import { execFile, spawn } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newDatabase, type TestDatabase } from '../support/database.ts';
import { type Client, client } from '../support/http-client.ts';
import { poll } from '../support/poll.ts';
import { type Server, startServer } from '../support/server.ts';
import { newTempFolder } from '../support/temp-folder.ts';

const mainPath = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const codexSessions = fileURLToPath(new URL('../data/imports/codex/sessions', import.meta.url));

/** The command of an event, as the host reads it from its file. */
interface Hooks {
  readonly hooks: Readonly<Record<string, readonly { command: string; hooks?: { command: string }[] }[]>>;
}

interface Said {
  readonly content: string;
  readonly role: string;
  readonly createdBy: { readonly via: string };
}

/** `agent.memory_provider` of Hermes Agent, with the methods that its page names as abstract, and its calls in order. */
const hermes = `
import importlib.util, json, sys, types
from abc import ABC, abstractmethod

class MemoryProvider(ABC):
    @property
    @abstractmethod
    def name(self): ...
    @abstractmethod
    def is_available(self): ...
    @abstractmethod
    def initialize(self, session_id, **kwargs): ...
    @abstractmethod
    def get_tool_schemas(self): ...
    def system_prompt_block(self): return ""
    def sync_turn(self, user, assistant, **kwargs): pass
    def shutdown(self): pass

module = types.ModuleType("agent.memory_provider")
module.MemoryProvider = MemoryProvider
sys.modules["agent"] = types.ModuleType("agent")
sys.modules["agent.memory_provider"] = module
spec = importlib.util.spec_from_file_location("memoryd_plugin", sys.argv[1])
plugin = importlib.util.module_from_spec(spec)
spec.loader.exec_module(plugin)
found = []
plugin.register(types.SimpleNamespace(register_memory_provider=found.append))
provider = found[0]
assert provider.is_available() and provider.name == "memoryd"
provider.initialize("h1", hermes_home="/tmp", platform="cli", agent_context="primary")
context = provider.prefetch("When does the retry queue give up?", session_id="h1")
nothing = provider.prefetch("zzqqxx wwvvkk")
said = [{"role": "user", "content": "Hermes owns the winch. password: hunter2hunter2"}, {"role": "tool", "content": "x"}]
provider.on_pre_compress(said)
provider.on_session_end(said)
provider.initialize("h2", agent_context="cron")
provider.on_session_end([{"role": "user", "content": "A cron job said this."}])
print(json.dumps({"context": context, "nothing": nothing}))
`;

describe('memoryd hook in the files of hosts', () => {
  const home = newTempFolder('hosts');
  const at = (path: string) => join(home.path, path);
  const env = { PATH: process.env.PATH, HOME: home.path };
  let database: TestDatabase;
  let server: Server;
  let http: Client;
  const run = promisify(execFile);

  beforeAll(async () => {
    database = await newDatabase('sqlite');
    server = await startServer({ databaseUrl: database.url });
    http = client(server.url, server.key);
    for (const content of [
      'The retry queue gives up after five tries.',
      'The heron-shop repository deploys on Thursdays.',
      'prices.ts rounds to five cents.',
    ])
      await http.post('/api/memories', { content, conversationId: 'NEW' });
    const names = ['codex', 'cursor', 'opencode', 'vscode', 'openclaw', 'hermes'];
    const args = [mainPath, 'connect', ...names, '--yes', '--url', server.url, '--key', server.key];
    await run(process.execPath, args, { cwd: home.path, env });
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
    home.remove();
  });

  /** Runs the command of an event in a shell, as hosts do: the event on standard input, what it prints. */
  const call = async (path: string, name: string, event: object): Promise<string> => {
    const { hooks } = JSON.parse(readFileSync(at(path), 'utf8')) as Hooks;
    const [entry] = hooks[name];
    const child = spawn('sh', ['-c', (entry.hooks?.[0] ?? entry).command], { cwd: '/', env, stdio: 'pipe' });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.stdin.end(JSON.stringify(event));
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
    return output;
  };
  /** What a busy machine may answer only at a later try. */
  const answered = async (path: string, name: string, event: object) =>
    JSON.parse(await poll('memories', async () => (await call(path, name, event)) || undefined));
  const said = async () => {
    const { data } = (await http.get<{ data: Said[] }>('/api/memories?limit=200&via=hook&order=asc')).body;
    return data.map(({ content, role }) => `${role}: ${content}`);
  };
  const asked = 'When does the retry queue give up?';

  it('Codex gets what fits as its schemas want it, and its session is stored by the door of hooks', async () => {
    const file = '.codex/hooks.json';
    const event = {
      ...{ session_id: 's', transcript_path: null, cwd: '/home/ana/heron-shop', model: 'gpt' },
      permission_mode: 'default',
    };
    const prompt = { ...event, hook_event_name: 'UserPromptSubmit', turn_id: 't', prompt: asked };
    const { hookSpecificOutput, ...rest } = await answered(file, 'UserPromptSubmit', prompt);
    expect(rest).toEqual({});
    expect(hookSpecificOutput).toEqual({
      hookEventName: 'UserPromptSubmit',
      additionalContext: expect.stringContaining('five tries'),
    });
    const start = { ...event, hook_event_name: 'SessionStart', source: 'startup' };
    expect((await answered(file, 'SessionStart', start)).hookSpecificOutput).toEqual({
      hookEventName: 'SessionStart',
      additionalContext: expect.stringContaining('Thursdays'),
    });
    expect(await call(file, 'UserPromptSubmit', { ...prompt, prompt: 'zzqqxx wwvvkk' })).toBe('');

    cpSync(codexSessions, at('.codex/sessions'), { recursive: true });
    const paths = readdirSync(codexSessions, { recursive: true, encoding: 'utf8' });
    const name = paths.find((path) => /rollout-2026.*\.jsonl$/.test(path));
    const end = {
      ...{ ...event, hook_event_name: 'SessionEnd', reason: 'other' },
      transcript_path: at(`.codex/sessions/${name}`),
    };
    for (const _ of [1, 2]) expect(await call(file, 'SessionEnd', end)).toBe('');
    const former = paths.find((path) => /rollout-2025.*\.jsonl$/.test(path));
    await call(file, 'SessionEnd', { ...end, transcript_path: at(`.codex/sessions/${former}`) });
    const stored = await said();
    expect(stored.length).toBeGreaterThan(1);
    expect(stored).toContain('user: What does the jetty lamp cost?');
    expect(new Set(stored).size).toBe(stored.length);
  });

  it('Cursor gets additional_context for its folder, and for a prompt with a file at hand', async () => {
    const event = {
      ...{ conversation_id: 'c', generation_id: 'g', cursor_version: '3.1.0', user_email: null },
      workspace_roots: ['/home/ana/heron-shop'],
    };
    const start = { ...event, hook_event_name: 'sessionStart', session_id: 'c', composer_mode: 'agent' };
    expect(await answered('.cursor/hooks.json', 'sessionStart', start)).toEqual({
      additional_context: expect.stringContaining('Thursdays'),
    });
    const prompt = {
      ...{ ...event, hook_event_name: 'beforeSubmitPrompt', prompt: 'why does this look odd?' },
      attachments: [{ type: 'file', file_path: '/home/ana/heron-shop/src/prices.ts' }],
    };
    expect(await answered('.cursor/hooks.json', 'beforeSubmitPrompt', prompt)).toEqual({
      continue: true,
      additional_context: expect.stringContaining('five cents'),
    });
    const { version } = JSON.parse(readFileSync(at('.cursor/hooks.json'), 'utf8'));
    expect(version).toBe(1);
  });

  it('VS Code gets the context of a new session', async () => {
    const event = {
      ...{ timestamp: '2026-11-28T10:00:00.000Z', cwd: '/home/ana/heron-shop', sessionId: 's' },
      ...{ hookEventName: 'SessionStart', transcript_path: '/tmp/none.json', source: 'new' },
    };
    expect(await answered('.copilot/hooks/memoryd.json', 'SessionStart', event)).toEqual({
      hookSpecificOutput: {
        hookEventName: 'SessionStart',
        additionalContext: expect.stringContaining('Thursdays'),
      },
    });
  });

  it('opencode gets what fits a message in the system prompt of its turn, and a session that rests is stored once', async () => {
    const { Memoryd } = await import(pathToFileURL(at('.config/opencode/plugins/memoryd.js')).href);
    const messages = [
      { info: { id: 'm1', role: 'user' }, parts: [{ type: 'text', text: 'Opencode owns the crane.' }] },
      {
        info: { id: 'm2', role: 'assistant' },
        parts: [
          { type: 'reasoning', text: 'hm' },
          { type: 'text', text: 'Noted, token=abcdef12345678.' },
        ],
      },
    ];
    const session = { messages: async () => ({ data: messages }) };
    const hooks = await Memoryd({ client: { session }, directory: '/home/ana/heron-shop' });
    const turn = async (text: string) => {
      const output = { message: { id: 'm' }, parts: [{ type: 'text', text }] };
      await hooks['chat.message']({ sessionID: 's1', agent: 'build' }, output);
      const system: string[] = ['You are opencode.'];
      await hooks['experimental.chat.system.transform']({ sessionID: 's1', model: {} }, { system });
      return system;
    };
    await poll('memories', async () => ((await turn(asked))[1] ? true : undefined));
    expect((await turn(asked))[1]).toContain('five tries');
    expect(await turn('zzqqxx wwvvkk')).toEqual(['You are opencode.']);
    for (const type of ['session.idle', 'session.updated', 'session.idle'])
      await hooks.event({ event: { type, properties: { sessionID: 's1' } } });
    const stored = (await said()).filter((text) => /crane|Noted,/.test(text));
    expect(stored).toEqual(['user: Opencode owns the crane.', 'assistant: Noted, token=[hidden]']);
  });

  it('OpenClaw gets what fits before the prompt, and what was said is stored', async () => {
    const folder = '.openclaw/extensions/memoryd';
    const npm = JSON.parse(readFileSync(at(`${folder}/package.json`), 'utf8'));
    const manifest = JSON.parse(readFileSync(at(`${folder}/openclaw.plugin.json`), 'utf8'));
    expect(manifest).toMatchObject({ id: 'memoryd', kind: 'memory', configSchema: { type: 'object' } });
    const [entry] = npm.openclaw.extensions;
    const { default: plugin } = await import(pathToFileURL(at(join(folder, entry))).href);
    const handlers = new Map<string, (event: object, context: object) => Promise<unknown>>();
    plugin.register({ on: (name: string, handler: never) => handlers.set(name, handler) });
    const contextFor = (prompt: string) =>
      handlers.get('before_prompt_build')?.({ prompt, messages: [] }, { sessionKey: 'main' });
    const given = await poll('memories', async () => (await contextFor(asked)) || undefined);
    expect(given).toEqual({ prependContext: expect.stringContaining('five tries') });
    expect(await contextFor('zzqqxx wwvvkk')).toBeUndefined();
    const messages = [
      { role: 'user', content: 'OpenClaw owns the pier.' },
      { role: 'toolResult', content: [{ type: 'text', text: 'x' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'The pier it is.' }] },
    ];
    for (const _ of [1, 2])
      await handlers.get('agent_end')?.({ messages, success: true }, { sessionKey: 'main', sessionId: 'o1' });
    const stored = (await said()).filter((text) => text.includes('pier'));
    expect(stored).toEqual(['user: OpenClaw owns the pier.', 'assistant: The pier it is.']);
  });

  it('Hermes Agent gets what fits before a turn, and what was said is stored without its secrets', async () => {
    const script = at('hermes.py');
    mkdirSync(dirname(script), { recursive: true });
    writeFileSync(script, hermes);
    const plugin = at('.hermes/plugins/memoryd/__init__.py');
    const { stdout } = await run('python3', [script, plugin], { env });
    const { context, nothing } = JSON.parse(stdout);
    expect(context).toContain('five tries');
    expect(nothing).toBe('');
    const stored = (await said()).filter((text) => /winch|cron/.test(text));
    expect(stored).toEqual(['user: Hermes owns the winch. password: [hidden]']);
  });
});
