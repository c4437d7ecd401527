import type { Fields } from '../reader.ts';
import { fieldsOf, idText, listOf, stated, storableText } from '../shared/fields.ts';
import { readTime } from '../shared/values.ts';

/** A file whose text the export has. */
export interface Attachment {
  readonly name: string;
  readonly type: string | undefined;
  readonly content: string;
}

/** A message of a person or of Claude. */
export interface Message {
  readonly fields: Fields;
  readonly id: string;
  readonly parent: string | undefined;
  /** ISO 8601, UTC. */
  readonly time: string | undefined;
  /** By which the newest leaf is found. */
  readonly changedAt: string;
}

/** Parent of the first message. */
const noParent = '00000000-0000-4000-8000-000000000000';

/** The messages of a conversation: from the first to the current one, and counts of the others. */
export interface MessageLine {
  readonly line: readonly Message[];
  /** Ends of other branches. */
  readonly branches: number;
  readonly duplicates: number;
  readonly unreadable: number;
}

/**
 * The line from the leaf with the newest time upward: edited and repeated messages are siblings in a flat list. A message
 * without a parent in the list follows the one before it, as in exports that have no parents.
 */
export function lineOf(values: readonly unknown[], conversation: string): MessageLine {
  const messages = new Map<string, Message>();
  let duplicates = 0;
  let unreadable = 0;
  let before: string | undefined;
  const inList = new Set(values.map((value) => idText(fieldsOf(value)?.uuid)));
  for (const [i, value] of values.entries()) {
    const fields = fieldsOf(value);
    const id = idText(fields?.uuid) ?? `${conversation}#${i + 1}`;
    if (!fields) unreadable++;
    else if (messages.has(id)) duplicates++;
    else {
      const named = idText(fields.parent_message_uuid);
      const parent = named === noParent || (named !== undefined && inList.has(named)) ? named : before;
      const time = readTime(fields.created_at);
      messages.set(id, { fields, id, parent, time, changedAt: time ?? readTime(fields.updated_at) ?? '' });
      before = id;
    }
  }
  const parents = new Set([...messages.values()].map(({ parent }) => parent));
  const ends = [...messages.values()].filter(({ id }) => !parents.has(id));
  const line = pathTo(newest(ends.length > 0 ? ends : [...messages.values()]), messages);
  const onLine = new Set(line);
  const branches = ends.filter((end) => !onLine.has(end)).length;
  return { line, branches, duplicates, unreadable };
}

function newest(messages: readonly Message[]): Message | undefined {
  return messages.reduce<Message | undefined>(
    (found, message) => (found && found.changedAt > message.changedAt ? found : message),
    undefined,
  );
}

function pathTo(end: Message | undefined, messages: ReadonlyMap<string, Message>): readonly Message[] {
  const path = new Set<Message>();
  for (let message = end; message && !path.has(message); message = messages.get(message.parent ?? ''))
    path.add(message);
  return [...path].reverse();
}

const roles: ReadonlyMap<unknown, 'user' | 'assistant'> = new Map([
  ['human', 'user'],
  ['user', 'user'],
  ['assistant', 'assistant'],
]);

export interface MessageText {
  readonly role: 'user' | 'assistant';
  readonly text: string;
  readonly metadata: Fields;
  /** Named files, each with its text. */
  readonly attachments: readonly Attachment[];
}

/** Text of a message, or the reason to leave it out. */
export function readMessage({ sender, text, content, attachments, files }: Fields): MessageText | string {
  const role = roles.get(sender);
  if (role === undefined) return 'unknown role';
  const attached = listOf(attachments)
    .map(attachmentOf)
    .filter((file) => file !== undefined);
  const pasted = attached.filter(({ name }) => name === '').map((file) => file.content);
  const typed = textOfBlocks(content) ?? storableText(text);
  const named = attached.filter(({ name }) => name !== '');
  // A message without a word of its own is the files that were sent.
  const isFiles = typed === undefined && pasted.length === 0;
  const whole = isFiles
    ? named.map((file) => file.content)
    : [typed, ...pasted].filter((part) => part !== undefined);
  if (whole.length === 0) return 'empty';
  return {
    role,
    text: whole.join('\n\n'),
    metadata: stated({ attachments: fileNames([...listOf(attachments), ...listOf(files)]) }),
    attachments: isFiles ? [] : named,
  };
}

/** Blocks of a message that are neither its text nor said to anybody. */
export function silentBlocks({ content }: Fields): string[] {
  return listOf(content).flatMap((block) => {
    const type = fieldsOf(block)?.type;
    if (type === 'thinking' || type === 'redacted_thinking') return ['thinking'];
    return type === 'tool_use' || type === 'tool_result' ? ['tool message'] : [];
  });
}

/** The text blocks; undefined if there are none. */
function textOfBlocks(content: unknown): string | undefined {
  if (typeof content === 'string') return storableText(content);
  const texts = listOf(content)
    .map((block) =>
      fieldsOf(block)?.type === 'text' ? storableText(fieldsOf(block)?.text) : storableText(block),
    )
    .filter((text) => text !== undefined);
  return texts.length === 0 ? undefined : texts.join('\n\n');
}

function attachmentOf(value: unknown): Attachment | undefined {
  const { file_name, file_type, extracted_content } = fieldsOf(value) ?? {};
  const content = storableText(extracted_content);
  if (content === undefined) return undefined;
  return { name: storableText(file_name)?.trim() ?? '', type: storableText(file_type), content };
}

const fileNamesMax = 50;

function fileNames(files: readonly unknown[]): readonly Fields[] {
  const named = new Map<string, Fields>();
  for (const file of files) {
    const { file_name, file_type } = fieldsOf(file) ?? {};
    const name = storableText(file_name)?.trim();
    if (name !== undefined && !named.has(name))
      named.set(name, stated({ name, type: storableText(file_type) }));
  }
  return [...named.values()].slice(0, fileNamesMax);
}
