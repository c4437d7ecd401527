import { basename } from 'node:path';
import { isJsonObject } from '../../lib/json.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The wish of a host: memories for a prompt or a folder, or that the session is stored. */
export type HookAct =
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
export function readHookEvent(text: string): HookAct | undefined {
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
