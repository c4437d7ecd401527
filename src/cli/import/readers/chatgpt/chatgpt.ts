import type { ImportRecord, Input, InputFile, Reader } from '../reader.ts';
import { chosen } from '../shared/chosen.ts';
import { fieldsOf, firstText } from '../shared/fields.ts';
import { hasMember, jsonElements } from '../shared/json.ts';
import { LeftOut } from '../shared/left-out.ts';
import { hashOf } from '../shared/seen.ts';
import { fileName } from '../shared/texts.ts';
import { readTime } from '../shared/values.ts';
import { type Chat, notAChat, readChat } from './chat.ts';
import { SavedMemories } from './saved.ts';

const headBytes = 256 * 1024;
const conversationsName = /^conversations[^/]*\.json$/i;
/** Claims of such a file exist, but no sample of it. */
const memoryName = /^memor(?:y|ies)\.json$/i;

/** The data export of ChatGPT: one `conversations.json`, or several of them, among other files. */
export const chatgpt: Reader = {
  format: 'chatgpt',
  title: 'ChatGPT data export',
  async recognises(input) {
    for (const file of conversationFiles(input)) if (await hasMapping(file)) return true;
    return false;
  },
  read: (input, { only }) => chosen(readExport(input), only),
};

function conversationFiles({ files }: Input): readonly InputFile[] {
  const named = files.filter(({ path }) => conversationsName.test(fileName(path)));
  return files.length === 1 && !isSavedList(files[0]) ? files : named;
}

const isSavedList = ({ path }: InputFile) => memoryName.test(fileName(path));

async function hasMapping(file: InputFile): Promise<boolean> {
  const head = await file.head(headBytes);
  return /^\s*[[{]/.test(head) && hasMember(head, 'mapping', '\\{') && !isOfClaude(head);
}

/** Claude.ai gives its files the same names; a folder may have exports of both. */
const isOfClaude = (head: string) => hasMember(head, 'chat_messages|conversations_memory');

async function* readExport(input: Input): AsyncGenerator<ImportRecord> {
  const saved = new SavedMemories();
  const copies = new Copies();
  const leftOut = new LeftOut();
  const conversations = new Set(conversationFiles(input));
  for (const file of input.files) {
    if (!conversations.has(file) && !isSavedList(file)) continue;
    if (isOfClaude(await file.head(headBytes))) leftOut.add('file of Claude.ai');
    else if (isSavedList(file)) yield* readSavedList(file, saved);
    else yield* readConversations(file, { saved, copies, leftOut });
  }
  yield* saved.records();
  yield* leftOut.records();
}

interface ReadState {
  readonly saved: SavedMemories;
  readonly copies: Copies;
  readonly leftOut: LeftOut;
}

async function* readConversations(file: InputFile, reading: ReadState): AsyncGenerator<ImportRecord> {
  for await (const { at, value, refusal, size } of jsonElements(file)) {
    const knownIdsOf = (id: string) => reading.copies.of(id);
    const chat = refusal === undefined ? readChat(value, fileName(file.path), knownIdsOf) : undefined;
    if (chat) yield* recordsOf(chat, reading);
    else yield { kind: 'refused', at, reason: refusal ?? notAChat };
    yield { kind: 'read', size };
  }
}

function recordsOf(chat: Chat, { saved, copies, leftOut }: ReadState): readonly ImportRecord[] {
  for (const { trace, time, at } of chat.traces) saved.add(trace, time, at);
  leftOut.addAll(chat.leftOut);
  const isFirst = copies.add(chat);
  if (chat.memories.length > 0) return [copies.newest(chat), ...chat.memories];
  if (isFirst) leftOut.add('conversation without messages');
  return [];
}

/** `[{content, created_at}]` */
async function* readSavedList(file: InputFile, saved: SavedMemories): AsyncGenerator<ImportRecord> {
  for await (const { at, value, refusal, size } of jsonElements(file)) {
    const text = firstText(fieldsOf(value) ?? {}, ['content', 'memory', 'text']);
    const time = readTime(fieldsOf(value)?.created_at);
    if (text !== undefined) saved.addSentence(text, time === undefined ? undefined : Date.parse(time), at);
    else yield { kind: 'refused', at, reason: refusal ?? 'it is not a saved memory: it has no content' };
    yield { kind: 'read', size };
  }
}

interface Copy {
  updatedAt: number;
  conversation: Chat['conversation'];
  /** Hashes of message ids: eight bytes for each of what may be millions. */
  hashes: Float64Array;
}

/** Conversations by their external id: an export may have a conversation twice, in two of its files. */
class Copies {
  readonly #copies = new Map<string, Copy>();

  /** The messages that copies before had. */
  of(conversation: string): { has(messageId: string): boolean } {
    const known = this.#copies.get(conversation);
    if (!known) return { has: () => false };
    const hashes = new Set(known.hashes);
    return { has: (messageId) => hashes.has(hashOf(messageId)) };
  }

  /** @returns whether it is the first copy */
  add({ conversation, updatedAt, messageIds }: Chat): boolean {
    const known = this.#copies.get(conversation.externalId);
    const hashes = Float64Array.from(messageIds, hashOf);
    if (!known) {
      this.#copies.set(conversation.externalId, { updatedAt, conversation, hashes });
      return true;
    }
    known.hashes = Float64Array.from(new Set([...known.hashes, ...hashes]));
    if (updatedAt > known.updatedAt) Object.assign(known, { updatedAt, conversation });
    return false;
  }

  newest({ conversation }: Chat): Chat['conversation'] {
    return this.#copies.get(conversation.externalId)?.conversation ?? conversation;
  }
}
