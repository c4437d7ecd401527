import type { ImportRecord, MemoryRecord, PointingRecord } from '../reader.ts';
import { fieldsOf, idText, listOf, stated, storableText } from '../shared/fields.ts';
import { idOf, titleFrom } from '../shared/texts.ts';
import { readTime } from '../shared/values.ts';
import { type Attachment, lineOf, type Message, readMessage, silentBlocks } from './messages.ts';

const titleLengthMax = 500;
const artifactNameMax = 200;
const artifactTypeMax = 100;

interface Conversation {
  readonly memories: MemoryRecord[];
  readonly artifacts: PointingRecord[];
  /** Reasons to leave out a message. */
  readonly leftOut: string[];
}

interface ReadConversation {
  readonly records: readonly ImportRecord[];
  readonly leftOut: readonly string[];
  /** When it was last changed; ISO 8601, UTC. */
  readonly updatedAt: string | undefined;
}

/** Its records and the reasons to leave out a part of it; undefined if the value is not a conversation. */
export function readConversation(value: unknown, file: string): ReadConversation | undefined {
  const fields = fieldsOf(value);
  if (!fields || !Array.isArray(fields.chat_messages)) return undefined;
  const name = storableText(fields.name)?.replace(/\s+/g, ' ').trim().slice(0, titleLengthMax).toWellFormed();
  const createdAt = readTime(fields.created_at);
  const id =
    idText(fields.uuid) ?? idOf(name ?? null, fields.created_at ?? null, firstId(fields.chat_messages));
  const { line, branches, duplicates, unreadable } = lineOf(fields.chat_messages, id);
  const updatedAt = readTime(fields.updated_at);
  const read = readLine(line, { id, at: `${file}, message`, of: `of "${name ?? id}"`, time: createdAt });
  const leftOut = [
    ...read.leftOut,
    ...Array.from({ length: branches }, () => 'other branch'),
    ...Array.from({ length: duplicates }, () => 'duplicate'),
    ...Array.from({ length: unreadable }, () => 'not a message'),
  ];
  if (read.memories.length === 0)
    return { records: [], leftOut: [...leftOut, 'conversation without messages'], updatedAt };
  const conversation: ImportRecord = {
    kind: 'conversation',
    externalId: `claude:${id}`,
    title: name ?? titleFrom(String(read.memories[0].body.content)),
    ...stated({
      createdAt: createdAt ?? read.memories[0].body.createdAt,
      summary: storableText(fields.summary)?.slice(0, 10_000).toWellFormed(),
    }),
  };
  return { records: [conversation, ...read.memories, ...read.artifacts], leftOut, updatedAt };
}

const firstId = (messages: unknown) => idText(fieldsOf(listOf(messages)[0])?.uuid) ?? null;

interface Place {
  readonly id: string;
  readonly at: string;
  readonly of: string;
  /** Of the conversation. */
  readonly time: string | undefined;
}

function readLine(line: readonly Message[], place: Place): Conversation {
  const read: Conversation = { memories: [], artifacts: [], leftOut: [] };
  const documents = new ClaudeArtifacts();
  let { time } = place;
  for (const [i, message] of line.entries()) {
    time = message.time ?? time;
    const text = readMessage(message.fields);
    const at = `${place.at} ${i + 1} ${place.of}`;
    const memory = typeof text === 'string' ? read.memories.at(-1)?.body.externalId : `claude:${message.id}`;
    for (const reason of silentBlocks(message.fields)) read.leftOut.push(reason);
    if (typeof text === 'string') read.leftOut.push(text);
    else {
      read.memories.push({
        kind: 'memory',
        at,
        conversation: `claude:${place.id}`,
        body: {
          externalId: memory,
          content: text.text,
          role: text.role,
          ...stated({ createdAt: time, eventTime: time, metadata: text.metadata }),
        },
      });
      for (const file of attachmentsOf(text.attachments, String(memory), at)) read.artifacts.push(file);
      documents.ownedBy(String(memory));
    }
    documents.add(message.fields.content, memory as string | undefined);
  }
  for (const document of documentsOf(documents, place)) read.artifacts.push(document);
  for (let i = 0; i < documents.unmatched; i++) read.leftOut.push('change of an artifact');
  return read;
}

function attachmentsOf(attachments: readonly Attachment[], memory: string, at: string): PointingRecord[] {
  const names = new Map<string, number>();
  return attachments.map(({ name, type, content }) => {
    const number = (names.get(name) ?? 0) + 1;
    names.set(name, number);
    const externalId = `${memory}:${name}${number === 1 ? '' : `#${number}`}`;
    return artifactOf({ at, memory, externalId, name, type: type ?? 'file', content });
  });
}

function documentsOf(documents: ClaudeArtifacts, { id, at, of }: Place): PointingRecord[] {
  return documents.all().flatMap((made) => {
    if (made.memory === undefined) return [];
    const externalId = `claude:${id}:artifact:${made.id}`;
    return artifactOf({ ...made, at: `${at} ${of}, artifact`, memory: made.memory, externalId });
  });
}

interface NewArtifact {
  readonly at: string;
  readonly memory: string;
  readonly externalId: string;
  readonly name: string;
  readonly type: string;
  readonly content: string;
}

function artifactOf({ at, memory, externalId, name, type, content }: NewArtifact): PointingRecord {
  return {
    kind: 'artifact',
    at,
    memory,
    externalId,
    body: {
      name: name.slice(0, artifactNameMax).toWellFormed(),
      type: type.slice(0, artifactTypeMax).toWellFormed(),
      content,
    },
  };
}

/** A document that Claude wrote in a conversation, in its last state. */
interface ClaudeArtifact {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly content: string;
  /** `externalId` of the memory of the message that made it. */
  readonly memory: string | undefined;
}

const artifactsMax = 10_000;

/** Follows the artifacts of one conversation, message by message. */
class ClaudeArtifacts {
  readonly #artifacts = new Map<string, ClaudeArtifact>();
  /** Changes that could not be made, since the text to replace is not in the artifact. */
  unmatched = 0;

  /** @param content blocks of a message @param memory of this message */
  add(content: unknown, memory: string | undefined): void {
    for (const block of listOf(content)) {
      const { type, name, input } = fieldsOf(block) ?? {};
      const given = type === 'tool_use' ? fieldsOf(input) : undefined;
      if (given) this.#use(String(name), given, memory);
    }
  }

  /** Gives those that were made before any memory this one. */
  ownedBy(memory: string): void {
    for (const [id, artifact] of this.#artifacts)
      if (artifact.memory === undefined) this.#artifacts.set(id, { ...artifact, memory });
  }

  all(): readonly ClaudeArtifact[] {
    return [...this.#artifacts.values()];
  }

  #use(tool: string, input: Readonly<Record<string, unknown>>, memory: string | undefined): void {
    const isArtifact = tool === 'artifacts';
    if (!isArtifact && tool !== 'create_file' && tool !== 'str_replace') return;
    const id = idText(isArtifact ? input.id : input.path);
    if (id === undefined) return;
    const whole = storableText(isArtifact ? input.content : input.file_text);
    const isChange = isArtifact ? input.command === 'update' : tool === 'str_replace';
    if (isChange) this.#replace(id, input);
    else if (whole !== undefined) {
      const before = this.#artifacts.get(id);
      if (!before && this.#artifacts.size >= artifactsMax) return;
      const name = storableText(input.title)?.trim() ?? before?.name ?? id.slice(id.lastIndexOf('/') + 1);
      const type = storableText(input.type) ?? before?.type ?? 'document';
      this.#artifacts.set(id, { id, name, type, content: whole, memory: before ? before.memory : memory });
    }
  }

  #replace(id: string, { old_str, new_str }: Readonly<Record<string, unknown>>): void {
    const before = this.#artifacts.get(id);
    const place =
      before && typeof old_str === 'string' && old_str !== '' ? before.content.indexOf(old_str) : -1;
    if (!before || place === -1) this.unmatched++;
    else {
      const end = place + String(old_str).length;
      const content = `${before.content.slice(0, place)}${typeof new_str === 'string' ? new_str : ''}${before.content.slice(end)}`;
      this.#artifacts.set(id, { ...before, content });
    }
  }
}
