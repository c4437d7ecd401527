import { readFileSync } from 'node:fs';
import { parseJson } from '../../lib/json-depth.ts';
import { digestOf } from './digest.ts';
import type { Item, Source } from './item.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * A file in the LoCoMo layout: each session becomes a conversation, each turn a memory.
 * @throws Error naming the missing part of the layout
 */
export function locomoSource(path: string): Source {
  const items = toItems(readConversations(path));
  const parts = [...new Set(items.map(({ part }) => part ?? ''))];
  return { size: items.length, items: () => items, parts };
}

function readConversations(path: string): readonly Fields[] {
  let set: unknown;
  try {
    set = parseJson(readFileSync(path, 'utf8').replace(/^\ufeff/, ''));
  } catch (error) {
    throw new Error(`${path} is not JSON: ${(error as Error).message}`);
  }
  return fieldsOf(set, 'conversations', path);
}

/** The list `name` of `value`, each element an object. */
function fieldsOf(value: unknown, name: string, where: string): readonly Fields[] {
  const list = isFields(value) ? value[name] : undefined;
  if (!Array.isArray(list) || !list.every(isFields))
    throw new Error(`${where}: "${name}" must be a list of objects`);
  return list;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

interface Place {
  /** Id of the conversation. */
  readonly id: string;
  readonly session: Fields;
}

function toItems(conversations: readonly Fields[]): Item[] {
  const items: Item[] = [];
  for (const [index, conversation] of conversations.entries()) {
    const id = String(conversation.id ?? index + 1);
    for (const session of fieldsOf(conversation, 'sessions', id)) {
      for (const turn of fieldsOf(session, 'turns', `${id}, session ${String(session.number)}`))
        items.push(toItem(items.length + 1, { id, session }, turn));
    }
  }
  return items;
}

function toItem(number: number, { id, session }: Place, turn: Fields): Item {
  const label = `${id} turn ${String(turn.id ?? number)}`;
  const title = `${id}, session ${String(session.number)}`;
  const content = toContent(title, session, turn);
  return { number, label, size: 1, digest: digestOf(number, JSON.stringify(content)), part: id, content };
}

function toContent(title: string, { startedAt = null }: Fields, turn: Fields): Item['content'] {
  const { speaker, text, imageCaption } = turn;
  if (typeof speaker !== 'string' || typeof text !== 'string')
    return { refusal: 'speaker and text of a turn must be text' };
  const shared = typeof imageCaption === 'string' && imageCaption !== '' ? ` [shares ${imageCaption}]` : '';
  const body = { content: `${speaker}: ${text}${shared}`, role: 'user' };
  return {
    conversation: title,
    group: title,
    body: startedAt === null ? body : { ...body, eventTime: startedAt },
  };
}
