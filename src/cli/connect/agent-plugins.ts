/** `memoryd hook`, as a plugin starts it. */
export interface HookProgram {
  readonly program: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Seconds that a plugin waits: for memories before a prompt, and for a session to be stored. */
const waits = { recall: 3, capture: 60 } as const;

/** JavaScript: sends an event to `memoryd hook`; '' if it fails, or takes longer than `timeout` ms. */
function hookFunction({ program, env }: HookProgram): string {
  const [file, ...args] = program;
  return `import { spawn } from 'node:child_process';
import { env as own } from 'node:process';

const hook = (event, timeout) =>
  new Promise((resolve) => {
    const env = { ...own, ...${JSON.stringify(env)} };
    const child = spawn(${JSON.stringify(file)}, ${JSON.stringify(args)}, { env, stdio: ['pipe', 'pipe', 'ignore'], timeout });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.on('error', () => resolve(''));
    child.on('close', () => resolve(output));
    child.stdin.on('error', () => {});
    child.stdin.end(JSON.stringify(event));
  });

const contextOf = (output) => (output ? JSON.parse(output).hookSpecificOutput.additionalContext : undefined);`;
}

/**
 * For opencode, which has no hooks that are commands (opencode.ai/docs/plugins; `Hooks` of `@opencode-ai/plugin`):
 * what fits a message comes into the system prompt of its turn, and a session that rests is stored.
 */
export function opencodePlugin(hook: HookProgram): readonly string[] {
  return `${hookFunction(hook)}

const textOf = (parts) =>
  parts.flatMap((part) => (part.type === 'text' && !part.synthetic ? [part.text] : [])).join('\\n');

export const Memoryd = async ({ client, directory: cwd }) => {
  const recalled = new Map();
  return {
    'chat.message': async ({ sessionID }, { parts }) => {
      const event = { hook_event_name: 'UserPromptSubmit', session_id: sessionID, cwd, prompt: textOf(parts) };
      const context = contextOf(await hook(event, ${waits.recall * 1000}));
      recalled.delete(sessionID);
      if (context) recalled.set(sessionID, context);
      if (recalled.size > 100) recalled.delete(recalled.keys().next().value);
    },
    'experimental.chat.system.transform': async ({ sessionID }, { system }) => {
      if (recalled.has(sessionID)) system.push(recalled.get(sessionID));
    },
    event: async ({ event }) => {
      if (event.type !== 'session.idle') return;
      const id = event.properties.sessionID;
      const { data } = await client.session.messages({ path: { id } });
      const messages = (data ?? []).map(({ info, parts }) => ({ id: info.id, role: info.role, content: textOf(parts) }));
      await hook({ hook_event_name: 'SessionEnd', session_id: 'opencode:' + id, cwd, messages }, ${waits.capture * 1000});
    },
  };
};`.split('\n');
}

const description = 'Long-term memory in a memoryd service';
/** Version of the plugins; hosts want one. */
const version = '1.0.0';

/**
 * For OpenClaw, whose hooks are functions of a plugin (docs.openclaw.ai/plugins/hooks): before_prompt_build answers
 * `prependContext`; agent_end gets the messages once `allowConversationAccess` is granted.
 */
export function openclawPlugin(hook: HookProgram): {
  readonly index: readonly string[];
  readonly manifest: object;
  readonly package: object;
} {
  const index = `${hookFunction(hook)}

export default {
  id: 'memoryd',
  name: 'memoryd',
  kind: 'memory',
  register(api) {
    api.on('before_prompt_build', async ({ prompt }) => {
      const prependContext = contextOf(await hook({ hook_event_name: 'UserPromptSubmit', prompt }, ${waits.recall * 1000}));
      return prependContext ? { prependContext } : undefined;
    });
    api.on('agent_end', async ({ messages }, { sessionKey, sessionId }) => {
      const said = messages.filter(({ role }) => role === 'user' || role === 'assistant');
      const id = 'openclaw:' + (sessionId ?? sessionKey ?? 'main');
      await hook({ hook_event_name: 'SessionEnd', session_id: id, messages: said }, ${waits.capture * 1000});
    });
  },
};`.split('\n');
  return {
    index,
    manifest: {
      id: 'memoryd',
      name: 'memoryd',
      description,
      version,
      kind: 'memory',
      configSchema: { type: 'object', additionalProperties: false, properties: {} },
    },
    package: {
      name: 'memoryd-openclaw',
      version,
      type: 'module',
      private: true,
      openclaw: { extensions: ['./index.js'] },
    },
  };
}

/** After `agent/memory_provider.py` of NousResearch/hermes-agent. */
const hermesProvider = `
def _hook(event, timeout):
    try:
        env = {**os.environ, **ENVIRONMENT}
        done = subprocess.run(
            COMMAND, input=json.dumps(event), capture_output=True, text=True, timeout=timeout, env=env
        )
        return json.loads(done.stdout or "{}")
    except (OSError, subprocess.TimeoutExpired, ValueError):
        # A turn goes on without memory.
        return {}


class Memoryd(MemoryProvider):
    _session = "main"
    _stores = True

    @property
    def name(self):
        return "memoryd"

    def is_available(self):
        return True

    def initialize(self, session_id, **kwargs):
        self._session = session_id
        self._stores = kwargs.get("agent_context", "primary") == "primary"

    def get_tool_schemas(self):
        return []

    def prefetch(self, query, *, session_id=""):
        answer = _hook({"hook_event_name": "UserPromptSubmit", "prompt": query}, ${waits.recall})
        return answer.get("hookSpecificOutput", {}).get("additionalContext", "")

    def on_session_switch(self, new_session_id, **kwargs):
        self._session = new_session_id

    def on_pre_compress(self, messages):
        self._store(messages)
        return ""

    def on_session_end(self, messages):
        self._store(messages)

    def _store(self, messages):
        said = [one for one in messages if one.get("role") in ("user", "assistant")]
        if self._stores and said:
            event = {"hook_event_name": "SessionEnd", "session_id": f"hermes:{self._session}", "messages": said}
            _hook(event, ${waits.capture})


def register(ctx):
    ctx.register_memory_provider(Memoryd())`;

/** For Hermes Agent: prefetch before each turn; a session is stored before it is compressed and when it ends. */
export function hermesPlugin({ program, env }: HookProgram): {
  readonly init: readonly string[];
  readonly manifest: readonly string[];
} {
  // Lists and objects of texts in JSON are those of Python.
  const init = `import json
import os
import subprocess

from agent.memory_provider import MemoryProvider

COMMAND = ${JSON.stringify(program)}
ENVIRONMENT = ${JSON.stringify(env)}

${hermesProvider}`.split('\n');
  return { init, manifest: ['name: memoryd', `version: ${version}`, `description: ${description}`] };
}
