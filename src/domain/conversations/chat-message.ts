import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { Role } from '../memories/memory.ts';

/** A message of a chat in which something is said. */
export interface ChatTurn {
  readonly role: Role;
  readonly text: string;
  readonly id: string | undefined;
  /** As the message has it: a number since 1970 or a text. */
  readonly time: unknown;
  /** Types of parts that are no texts, such as images; their bytes are left out. At most 50. */
  readonly attachments: readonly { readonly type: string }[];
}

/** Why a message is no turn, in one of few words: "system message", "tool message", "empty message". */
export interface NoTurn {
  readonly leftOut: string;
}

const texts: ReadonlySet<unknown> = new Set(['text', 'input_text', 'output_text']);
/** Thoughts of the model, which are no part of the chat. */
const silent: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking', 'reasoning']);
const ofTools = /tool|function/;
const attachmentsMax = 50;

/** The text of a message: itself, or its parts that are texts. */
export function textOfContent(content: unknown): string {
  if (typeof content === 'string') return content.trim() === '' ? '' : content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part: unknown) => {
      if (typeof part === 'string') return part;
      return isJsonObject(part) && texts.has(part.type) && typeof part.text === 'string' ? part.text : '';
    })
    .filter((text) => text.trim() !== '')
    .join('\n\n');
}

const typesOf = (content: unknown): string[] =>
  (Array.isArray(content) ? content : []).flatMap((part: unknown) =>
    isJsonObject(part) && typeof part.type === 'string' ? [part.type] : [],
  );

function usesTools({ type, tool_calls, content }: JsonObject): boolean {
  if (typeof type === 'string' && ofTools.test(type)) return true;
  return tool_calls !== undefined || typesOf(content).some((part) => ofTools.test(part));
}

/**
 * A message in the form of a chat API: OpenAI's (chat completions, items of responses) or Anthropic's. Calls of tools and
 * their results, reasoning, and system messages are no turns: those are the program's words.
 */
export function readChatMessage(message: JsonObject): ChatTurn | NoTurn {
  const { role, content, id, createdAt, created_at, create_time, timestamp, date } = message;
  if (role !== 'user' && role !== 'assistant') {
    if (role === undefined && usesTools(message)) return { leftOut: 'tool message' };
    return { leftOut: `${typeof role === 'string' ? role.slice(0, 20) : 'other'} message` };
  }
  const text = textOfContent(content);
  if (text === '') return { leftOut: usesTools(message) ? 'tool message' : 'empty message' };
  const attachments = typesOf(content)
    .filter((type) => !texts.has(type) && !silent.has(type) && !ofTools.test(type))
    .slice(0, attachmentsMax)
    .map((type) => ({ type }));
  return {
    role,
    text,
    id: typeof id === 'string' && id !== '' ? id : undefined,
    time: createdAt ?? created_at ?? create_time ?? timestamp ?? date,
    attachments,
  };
}
