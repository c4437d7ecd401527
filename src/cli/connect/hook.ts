import { basename } from 'node:path';
import { Command } from 'commander';
import { reasonOf, sendRequest } from '../client/api-client.ts';
import { addServiceOptions, findService } from '../client/service.ts';
import { importCommand } from '../import/import-command.ts';
import { print } from '../output/print.ts';
import { note } from '../output/terminal.ts';

interface HookOptions {
  readonly url?: string;
  readonly key?: string;
}

/** Tokens that a prompt gets at most. */
const maxTokens = 1500;
/** A person waits for the prompt to be sent: later, it goes without memories. */
const timeoutMs = 2000;
const inputLengthMax = 1_000_000;
const queryLengthMax = 4000;

/** The event of a host, as it gives it on standard input; undefined: there is none that can be read. */
async function readEvent(): Promise<Readonly<Record<string, unknown>> | undefined> {
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += chunk;
    if (text.length > inputLengthMax) return undefined;
  }
  try {
    const event: unknown = JSON.parse(text);
    return typeof event === 'object' && event !== null ? (event as Record<string, unknown>) : undefined;
  } catch {
    // Not JSON: the caller says that there is no event.
    return undefined;
  }
}

/** The question to memory: the prompt, or at the start of a session the name of the folder. */
function queryOf({ prompt, cwd }: Readonly<Record<string, unknown>>): string {
  if (typeof prompt === 'string') return prompt.slice(0, queryLengthMax).trim();
  return typeof cwd === 'string' ? basename(cwd) : '';
}

/**
 * The memories that fit, as MCP answers them: fenced as data, within the budget.
 * @returns undefined if none fits. @throws Error if the service refuses, or gives no answer in time
 */
async function recalled(query: string, options: HookOptions): Promise<string | undefined> {
  const params = { name: 'search', arguments: { query, maxTokens } };
  const response = await sendRequest(findService(options), {
    method: 'POST',
    path: '/mcp',
    headers: { accept: 'application/json, text/event-stream' },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    timeoutMs,
  });
  const { result, error } = (await response.json()) as {
    readonly result?: {
      readonly structuredContent?: { readonly results?: readonly unknown[] };
      readonly content: readonly { readonly text: string }[];
    };
    readonly error?: { readonly message: string };
  };
  if (error) throw new Error(error.message);
  return result?.structuredContent?.results?.length ? result.content[0].text : undefined;
}

/** Events after which a session may be cut or gone: it is stored as it is by then. */
const captured: ReadonlySet<unknown> = new Set(['PreCompact', 'SessionEnd']);

/** Imports the session, without its secrets; turns that an earlier event stored are known, and only the others are sent. */
async function capture(path: string, { url, key }: HookOptions): Promise<void> {
  const access = [...(url === undefined ? [] : ['--url', url]), ...(key === undefined ? [] : ['--key', key])];
  try {
    await importCommand().parseAsync(['--hide-secrets', ...access, '--', path], { from: 'user' });
  } catch (error) {
    note(`memoryd hook: the session was not stored (${(error as Error).message})`);
  }
  process.exitCode = 0;
}

/**
 * `memoryd hook`: adds memories to a prompt or the start of a session, and stores a session before it ends or
 * is cut. Never fails its host: without a service the prompt goes as it is, and standard error says why.
 */
export function hookCommand(): Command {
  return addServiceOptions(new Command('hook')).action(async (options: HookOptions) => {
    const event = await readEvent();
    const query = event && queryOf(event);
    if (typeof event?.transcript_path === 'string' && captured.has(event.hook_event_name))
      return capture(event.transcript_path, options);
    if (!event || !query) return note('memoryd hook: standard input has no event with a prompt or a folder.');
    try {
      const text = await recalled(query, options);
      if (text === undefined) return;
      const additionalContext = `From long-term memory, which may be about something else:\n${text}`;
      const hookEventName = event.hook_event_name ?? 'UserPromptSubmit';
      print(JSON.stringify({ hookSpecificOutput: { hookEventName, additionalContext } }));
    } catch (error) {
      note(`memoryd hook: nothing was recalled (${reasonOf(error)}).`);
    }
  });
}
