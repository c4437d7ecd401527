import { readChatMessage } from '../../../../domain/conversations/chat-message.ts';
import { anyFile, type Fields, type ImportRecord, type InputFile, type Reader } from '../reader.ts';
import { isFields, stated, textOf } from '../shared/fields.ts';
import { jsonElements, jsonLines, type ReadJson } from '../shared/json.ts';
import { idOf, titleFrom } from '../shared/texts.ts';
import { readTime } from '../shared/values.ts';

const headBytes = 64 * 1024;
const arrayMark = /^\s*\[/;
const roleMark = /"role"\s*:\s*"(system|user|assistant|tool|developer)"/;

async function isOfMessages(file: InputFile): Promise<boolean> {
  const head = await file.head(headBytes);
  if (!/^\s*[[{]/.test(head) || !roleMark.test(head)) return false;
  // Elsewhere, `memoryType` or `conversationId` say that these are memories.
  return (
    /"messages"\s*:\s*\[/.test(head) || (arrayMark.test(head) && !/"(memoryType|conversationId)"/.test(head))
  );
}

/** Messages as chat APIs take them: one list, `{"messages": […]}`, or lines or a list of those. */
export const messages: Reader = {
  format: 'messages',
  title: 'messages with roles',
  recognises: (input) => anyFile(input, isOfMessages),
  async *read({ files }) {
    for (const file of files) {
      if (files.length > 1 && !(await isOfMessages(file))) yield { kind: 'leftOut', reason: 'other file' };
      else yield* recordsOf(file);
    }
  },
};

async function* recordsOf(file: InputFile): AsyncGenerator<ImportRecord> {
  const head = await file.head(headBytes);
  const isList = arrayMark.test(head);
  const isDocument = isList || /^\s*\{\s*[\r\n]/.test(head);
  // Of a list of messages, or of the one conversation that a document is.
  const only = new Talk(file.path);
  for await (const read of isDocument ? jsonElements(file) : jsonLines(file)) {
    const { at, value, member, number, refusal, size } = read;
    if (refusal !== undefined) yield { kind: 'refused', at, reason: refusal };
    else if (member !== undefined && member !== 'messages') only.describe(member, value);
    else if (member === 'messages' && number > 0) yield* only.take(read);
    else if (isFields(value) && Array.isArray(value.messages)) yield* conversation(value, value.messages, at);
    else if (isList && isFields(value) && 'role' in value) yield* only.take(read);
    else if (member === undefined)
      yield { kind: 'refused', at, reason: 'it is no message and has no messages' };
    yield { kind: 'read', size };
  }
  yield* only.end();
}

function* conversation(described: Fields, messages: readonly unknown[], at: string): Generator<ImportRecord> {
  if (messages.length === 0) {
    yield { kind: 'leftOut', reason: 'conversation without messages' };
    return;
  }
  const talk = new Talk(at);
  for (const [name, value] of Object.entries(described)) talk.describe(name, value);
  for (const [i, value] of messages.entries()) yield* talk.take({ at: `${at}, message ${i + 1}`, value });
  yield* talk.end();
}

const idMessages = 2;

/** The messages of one conversation. Without an id of its own it is known by its first two, so that a continued one is met again. */
class Talk {
  readonly #at: string;
  #id: string | undefined;
  #title: string | undefined;
  #createdAt: string | undefined;
  #waiting: Pick<ReadJson, 'at' | 'value'>[] = [];
  #count = 0;
  #externalId: string | undefined;
  /** Of the message before: one without a time was written then at the earliest. */
  #time: string | undefined;

  constructor(at: string) {
    this.#at = at;
  }

  /** A member of the object that the conversation is. */
  describe(name: string, value: unknown): void {
    if (name === 'id' || name === 'conversation_id') this.#id ??= textOf(value);
    else if (name === 'title') this.#title = textOf(value);
    else if (/^(createdAt|created_at|create_time|timestamp)$/.test(name)) this.#createdAt = readTime(value);
  }

  *take(message: Pick<ReadJson, 'at' | 'value'>): Generator<ImportRecord> {
    this.#waiting.push(message);
    if (this.#waiting.length >= idMessages || this.#externalId !== undefined) yield* this.end();
  }

  *end(): Generator<ImportRecord> {
    const waiting = this.#waiting;
    this.#waiting = [];
    if (waiting.length === 0) return;
    this.#externalId ??= `messages:${this.#id ?? idOf(...waiting.map(({ value }) => value))}`;
    for (const message of waiting) yield* this.#record(message, ++this.#count);
  }

  *#record({ at, value }: Pick<ReadJson, 'at' | 'value'>, number: number): Generator<ImportRecord> {
    if (!isFields(value)) return yield { kind: 'refused', at, reason: 'the message must be a JSON object' };
    const turn = readChatMessage(value);
    if ('leftOut' in turn) return yield { kind: 'leftOut', reason: turn.leftOut };
    const { role, text, attachments } = turn;
    const externalId = this.#externalId ?? this.#at;
    const title = this.#title ?? titleFrom(text);
    this.#title = title;
    yield { kind: 'conversation', externalId, title, createdAt: this.#createdAt };
    const time = readTime(turn.time) ?? this.#time ?? this.#createdAt;
    this.#time = time;
    yield {
      kind: 'memory',
      at,
      conversation: externalId,
      body: {
        content: text,
        role,
        externalId: `${externalId}:${number}`,
        ...stated({ createdAt: time, eventTime: time }),
        ...(attachments.length > 0 && { metadata: { attachments } }),
      },
    };
  }
}
