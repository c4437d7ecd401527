import type { Fields } from '../../statement.ts';
import { fieldsOf, firstText, listOf, stated, storableText } from '../shared/fields.ts';

/** Why a message is no memory. */
export type MessageLeftOut =
  | 'system message'
  | 'hidden message'
  | 'tool message'
  | 'thinking'
  | 'empty'
  | 'unknown role'
  | 'unknown content type';

/** A message that a person or the assistant wrote to the other. */
interface ChatText {
  readonly role: 'user' | 'assistant';
  readonly text: string;
  readonly metadata: Fields;
}

const systemRoles: ReadonlySet<unknown> = new Set(['system', 'developer']);
const texts: ReadonlySet<unknown> = new Set([undefined, null, 'text', 'multimodal_text', 'code']);
const thoughts: ReadonlySet<unknown> = new Set(['thoughts', 'reasoning_recap']);
const toolTraffic: ReadonlySet<unknown> = new Set([
  'execution_output',
  'tether_browsing_display',
  'tether_quote',
  'system_error',
  'citable_code_output',
  'computer_output',
]);

/** The text of a message, or the reason to leave it out. */
export function readMessage(message: Fields): ChatText | MessageLeftOut {
  const role = fieldsOf(message.author)?.role ?? message.role;
  if (systemRoles.has(role)) return 'system message';
  if (role === 'tool' || !isToAll(message)) return 'tool message';
  if (role !== 'user' && role !== 'assistant') return 'unknown role';
  const metadata = fieldsOf(message.metadata) ?? {};
  if (metadata.is_visually_hidden_from_conversation === true) return 'hidden message';
  const content = contentOf(message);
  const type = content.content_type;
  if (thoughts.has(type) || message.channel === 'analysis') return 'thinking';
  if (toolTraffic.has(type)) return 'tool message';
  if (!texts.has(type)) return 'unknown content type';
  const text = textOfContent(content);
  if (text === undefined) return 'empty';
  const attachments = attachmentsOf(metadata, content);
  return { role, text, metadata: stated({ model: storableText(metadata.model_slug), attachments }) };
}

function isToAll({ recipient }: Fields): boolean {
  return typeof recipient !== 'string' || recipient === '' || recipient === 'all';
}

/** Content of a message; in some files it is the text alone. */
function contentOf({ content }: Fields): Fields {
  return typeof content === 'string' ? { parts: [content] } : (fieldsOf(content) ?? {});
}

/** Texts of the parts, transcripts of speech included; undefined if there are none, as with pictures alone. */
function textOfContent(content: Fields): string | undefined {
  const parts = typeof content.parts === 'string' ? [content.parts] : listOf(content.parts);
  const found = parts.map(textOfPart).filter((text) => text !== undefined);
  return storableText(
    withoutCitations(found.length > 0 ? found.join('\n') : (firstText(content, ['text']) ?? '')),
  );
}

const spoken: ReadonlySet<unknown> = new Set([undefined, 'text', 'audio_transcription']);

function textOfPart(part: unknown): string | undefined {
  const fields = fieldsOf(part);
  if (!fields) return storableText(part);
  return spoken.has(fields.content_type) ? storableText(fields.text) : undefined;
}

/** Marks of sources, which the page shows as links: between U+E200 and U+E201, and `【4†source】`. */
function withoutCitations(text: string): string {
  return text
    .replace(/\ue200[^\ue200\ue201]*\ue201/g, '')
    .replace(/[\ue200-\ue20f]/g, '')
    .replace(/【[^【】†]{0,200}†[^【】]{0,400}】/g, '');
}

const attachmentsMax = 50;

/** Names and types of files, and the kinds of pictures and recordings. */
function attachmentsOf(metadata: Fields, content: Fields): readonly Fields[] {
  const files = listOf(metadata.attachments).map((value) => {
    const { name, mime_type } = fieldsOf(value) ?? {};
    return stated({ name: storableText(name), type: storableText(mime_type) });
  });
  const pointers = listOf(content.parts).map((part) =>
    stated({ type: /^(\w+)_asset_pointer$/.exec(String(fieldsOf(part)?.content_type))?.[1] }),
  );
  const named = files.filter((file) => Object.keys(file).length > 0);
  return (named.length > 0 ? named : pointers.filter(({ type }) => type !== undefined)).slice(
    0,
    attachmentsMax,
  );
}

/** A trace of what ChatGPT keeps about its user. */
export type MemoryTrace =
  /** Sentences that the assistant saved with this message. */
  | { readonly kind: 'saved'; readonly lines: readonly string[] }
  /** The whole list, as the model saw it. */
  | { readonly kind: 'list'; readonly text: string }
  /** Custom instructions. */
  | { readonly kind: 'custom'; readonly aboutMe?: string; readonly instructions?: string };

/** Undefined for other messages. */
export function readTrace(message: Fields): MemoryTrace | undefined {
  const content = contentOf(message);
  if (message.recipient === 'bio') {
    const text = fieldsOf(message.author)?.role === 'assistant' ? textOfContent(content) : undefined;
    return text === undefined ? undefined : { kind: 'saved', lines: text.split('\n') };
  }
  if (content.content_type === 'model_editable_context') {
    const text = storableText(content.model_set_context);
    return text === undefined ? undefined : { kind: 'list', text };
  }
  if (content.content_type !== 'user_editable_context') return undefined;
  const data = fieldsOf(fieldsOf(message.metadata)?.user_context_message_data) ?? {};
  return {
    kind: 'custom',
    aboutMe: storableText(data.about_user_message) ?? unwrapped(content.user_profile),
    instructions: storableText(data.about_model_message) ?? unwrapped(content.user_instructions),
  };
}

/** Custom instructions have at most a few thousand; the pattern below takes long for texts of megabytes. */
const wrappedLengthMax = 20_000;

/** A text between fences, which some exports put into a sentence of the service's own. */
function unwrapped(value: unknown): string | undefined {
  const text = storableText(value);
  if (text !== undefined && text.length > wrappedLengthMax) return text;
  return storableText(/^The user provided .*?```\n?(.*)\n?```\s*$/s.exec(text ?? '')?.[1]) ?? text;
}
