import { basename } from 'node:path';
import { Command } from 'commander';
import { hookAgent } from '../../domain/shared/user-ref.ts';
import { hideSecrets } from '../../lib/hide-secrets.ts';
import { isJsonObject } from '../../lib/json.ts';
import { ApiClient, reasonOf, sendRequest } from '../client/api-client.ts';
import { addServiceOptions, findService } from '../client/service.ts';
import { print } from '../output/print.ts';
import { note } from '../output/terminal.ts';

interface HookOptions {
  readonly url?: string;
  readonly key?: string;
}

const preface = 'From long-term memory, which may be about something else:';
/** Tokens that a prompt gets at most, with the preface. */
const maxTokens = 1500;
const prefaceTokens = 20;
/** A person waits for the prompt to be sent: later, it goes without memories. */
const timeoutMs = 2000;
const captureTimeoutMs = 50_000;
const inputLengthMax = 10_000_000;
/** Messages of a session that are sent, the newest; the service takes so many at once. */
const messagesMax = 1000;

/** The event on standard input; undefined: it is too long. */
async function readInput(): Promise<string | undefined> {
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += chunk;
    if (text.length > inputLengthMax) return undefined;
  }
  return text;
}

const serviceOf = (options: HookOptions) => ({ ...findService(options), agent: hookAgent });

/**
 * The memories that fit, as MCP answers them: fenced as data, within the budget.
 * @returns undefined if none fits. @throws Error if the service refuses, or gives no answer in time
 */
async function recalled(query: string, options: HookOptions): Promise<string | undefined> {
  const params = { name: 'search', arguments: { query, maxTokens: maxTokens - prefaceTokens } };
  const response = await sendRequest(serviceOf(options), {
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

/** Imports the session, without its secrets; turns that an earlier event stored are known, and only the others are sent. */
async function captureFile(path: string, { url, key }: HookOptions): Promise<void> {
  const access = [...(url === undefined ? [] : ['--url', url]), ...(key === undefined ? [] : ['--key', key])];
  // Its code is loaded here: before a prompt a person waits for the start of this process.
  const { importCommand } = await import('../import/import-command.ts');
  await importCommand().parseAsync(['--by-hook', '--hide-secrets', ...access, '--', path], { from: 'user' });
}

/** Every text in it with `[hidden]` for what looks like a key or a password. */
function withoutSecrets(value: unknown): unknown {
  if (typeof value === 'string') return hideSecrets(value);
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutSecrets(member)]));
}

/** @throws Error if the service does not take them */
async function captureMessages(
  { messages, thread }: { readonly messages: readonly unknown[]; readonly thread: string },
  options: HookOptions,
): Promise<void> {
  const newest = messages.slice(-messagesMax);
  if (newest.length === 0) return;
  const { status, body } = await new ApiClient(serviceOf(options)).send({
    path: '/api/memories/from-messages',
    body: { externalId: `session:${thread}`, messages: withoutSecrets(newest) },
    timeoutMs: captureTimeoutMs,
    patienceMs: captureTimeoutMs,
    unreachableRetryMs: 0,
  });
  if (status !== 200) throw new Error(String(body.error ?? status));
}

async function capture(stored: Promise<void>): Promise<void> {
  try {
    await stored;
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
    const act = readHookEvent((await readInput()) ?? '');
    if (!act) return note('memoryd hook: standard input has no event with a prompt or a folder.');
    if (act.kind === 'file') return capture(captureFile(act.path, options));
    if (act.kind === 'messages') return capture(captureMessages(act, options));
    try {
      const text = await recalled(act.query, options);
      if (text !== undefined) print(JSON.stringify(act.answer(`${preface}\n${text}`)));
    } catch (error) {
      note(`memoryd hook: nothing was recalled (${reasonOf(error)}).`);
    }
  });
}

type Fields = Readonly<Record<string, unknown>>;

/** The wish of a host: memories for a prompt or a folder, or that the session is stored. */
type HookAct =
  | {
      readonly kind: 'recall';
      readonly query: string;
      /** For standard output, from which the host takes the text that comes before the prompt. */
      answer(text: string): Fields;
    }
  /** The file in which the host keeps the session. */
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'messages'; readonly messages: readonly unknown[]; readonly thread: string };

const promptLengthMax = 4000;
/** Attached files whose names are searched for, at most. */
const filesMax = 10;

/** Events after which a session may be cut or gone: it is stored as it is by then. */
const captured: ReadonlySet<unknown> = new Set(['PreCompact', 'SessionEnd']);
/** Events of Cursor, which has names and an output of its own. */
const ofCursor: ReadonlySet<unknown> = new Set(['sessionStart', 'beforeSubmitPrompt']);

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

/** Names of the files that the person attached to a prompt. */
function filesOf({ attachments }: Fields): string[] {
  if (!Array.isArray(attachments)) return [];
  const paths = attachments.map((one: unknown) =>
    isJsonObject(one) ? textOf(one.file_path ?? one.filePath) : '',
  );
  return paths.filter((path) => path !== '').map((path) => basename(path));
}

function folderOf({ cwd, workspace_roots: roots }: Fields): string {
  return basename(textOf(cwd) || textOf(Array.isArray(roots) ? roots[0] : undefined));
}

/** The question to memory: the prompt with its files; at the start of a session the name of the folder. */
function queryOf(event: Fields): string {
  const prompt = textOf(event.prompt).slice(0, promptLengthMax);
  if (prompt === '') return folderOf(event);
  const files = filesOf(event).filter((name) => !prompt.includes(name));
  return [prompt, ...files.slice(0, filesMax)].join('\n');
}

function responseTo(name: unknown): (text: string) => Fields {
  if (!ofCursor.has(name)) {
    const hookEventName = name ?? 'UserPromptSubmit';
    return (additionalContext) => ({ hookSpecificOutput: { hookEventName, additionalContext } });
  }
  return (text) => ({
    ...(name === 'beforeSubmitPrompt' && { continue: true }),
    additional_context: text,
  });
}

/**
 * Reads an event as Claude Code, Codex (both `hook_event_name`), VS Code (`hookEventName`) and Cursor send it, and
 * as the plugin for opencode does, which has no file of a session and sends `messages`.
 * @returns undefined if it asks for nothing that memory could do
 */
function readHookEvent(text: string): HookAct | undefined {
  let event: unknown;
  try {
    event = JSON.parse(text);
  } catch {
    // Not JSON: the caller says that there is no event.
    return undefined;
  }
  if (!isJsonObject(event)) return undefined;
  const name = event.hook_event_name ?? event.hookEventName;
  if (captured.has(name)) {
    const path = textOf(event.transcript_path);
    if (path !== '') return { kind: 'file', path };
    const thread = textOf(event.session_id);
    return Array.isArray(event.messages) && thread !== ''
      ? { kind: 'messages', messages: event.messages, thread }
      : undefined;
  }
  const query = queryOf(event);
  return query === '' ? undefined : { kind: 'recall', query, answer: responseTo(name) };
}
