import type { ConversationRecord, Fields, MemoryRecord } from '../reader.ts';
import { fieldsOf, idText, listOf, stated, storableText } from '../shared/fields.ts';
import { idOf, titleFrom } from '../shared/texts.ts';
import { readTime } from '../shared/values.ts';
import { type MemoryTrace, readMessage, readTrace } from './messages.ts';

const titleLengthMax = 500;

/** A trace of ChatGPT's memory, with its time in milliseconds. */
interface ChatTrace {
  readonly trace: MemoryTrace;
  readonly time: number | undefined;
  readonly at: string;
}

/** A conversation of an export, read whole. */
export interface Chat {
  readonly conversation: ConversationRecord;
  /** Milliseconds; 0 if the export has none. */
  readonly updatedAt: number;
  readonly memories: readonly MemoryRecord[];
  readonly traces: readonly ChatTrace[];
  /** Reasons to leave out a message or a branch. */
  readonly leftOut: readonly string[];
  /** Ids of all messages that were read or left out. */
  readonly messageIds: readonly string[];
}

interface ReadLine extends Pick<Chat, 'memories' | 'traces' | 'leftOut'> {
  /** Text of the first memory. */
  readonly firstText: string | undefined;
}

export const notAChat = 'it is not a conversation: it has no mapping';

/**
 * @param file name of the file, for messages
 * @param knownIdsOf ids of the messages of a conversation that an earlier copy of it had: these are left out
 * @returns undefined if the value is not a conversation
 */
export function readChat(
  value: unknown,
  file: string,
  knownIdsOf: (conversation: string) => { has(messageId: string): boolean },
): Chat | undefined {
  const chat = fieldsOf(value);
  const mapping = fieldsOf(chat?.mapping);
  if (!chat || !mapping) return undefined;
  const tree = readTree(mapping, chat.current_node, timeOf);
  const first = tree.line.find(({ message }) => typeof readMessage(message) === 'object') ?? tree.line[0];
  const id =
    idText(chat.conversation_id) ?? idText(chat.id) ?? idOf(chat.create_time ?? null, first?.key ?? null);
  const externalId = `chatgpt:${id}`;
  const known = knownIdsOf(externalId);
  const given = storableText(chat.title)?.replace(/\s+/g, ' ').trim().slice(0, titleLengthMax).toWellFormed();
  const times = [readTime(chat.create_time), readTime(chat.update_time)].filter((time) => time !== undefined);
  const line = readLine(tree.line, {
    conversation: externalId,
    known,
    time: times[0],
    at: `of "${given ?? id}"`,
    file,
  });
  const branches = tree.others.filter((path) => path.some((node) => isNew(node, known)));
  const createdAt = times[0] ?? (line.memories[0]?.body.createdAt as string | undefined);
  return {
    conversation: {
      kind: 'conversation',
      externalId,
      title: given ?? titleFrom(line.firstText ?? 'ChatGPT conversation'),
      ...stated({ createdAt, metadata: stated({ archived: chat.is_archived || undefined }) }),
    },
    updatedAt: Date.parse(times.at(-1) ?? '') || 0,
    ...line,
    leftOut: [...line.leftOut, ...branches.map(() => 'other branch')],
    messageIds: [...tree.line, ...tree.others.flat()].map(messageIdOf),
  };
}

const messageIdOf = ({ key, message }: NodeMessage) => idText(message.id) ?? key;

const isNew = (node: NodeMessage, known: { has(id: string): boolean }) =>
  typeof readMessage(node.message) === 'object' && !known.has(messageIdOf(node));

/** Milliseconds. */
function timeOf(message: Fields): number | undefined {
  const time = readTime(message.create_time) ?? readTime(message.update_time);
  return time === undefined ? undefined : Date.parse(time);
}

interface LineContext {
  readonly conversation: string;
  readonly known: { has(messageId: string): boolean };
  /** Of the conversation, for messages without a time at its beginning. */
  readonly time: string | undefined;
  readonly at: string;
  readonly file: string;
}

function readLine(line: readonly NodeMessage[], context: LineContext): ReadLine {
  const memories: MemoryRecord[] = [];
  const traces: ChatTrace[] = [];
  const leftOut: string[] = [];
  let { time } = context;
  let firstText: string | undefined;
  const inLine = new Set<string>();
  for (const [i, node] of line.entries()) {
    const { message } = node;
    const id = messageIdOf(node);
    time = readTime(message.create_time) ?? time;
    const at = `${context.file}, message ${i + 1} ${context.at}`;
    const trace = readTrace(message);
    if (trace) {
      traces.push({ trace, time: time === undefined ? undefined : Date.parse(time), at });
      continue;
    }
    const read = readMessage(message);
    const isKnown = context.known.has(id) || inLine.has(id);
    inLine.add(id);
    if (typeof read === 'string') {
      if (!isKnown) leftOut.push(read);
      continue;
    }
    firstText ??= read.text;
    if (isKnown) {
      leftOut.push('duplicate');
      continue;
    }
    memories.push({
      kind: 'memory',
      at,
      conversation: context.conversation,
      body: {
        externalId: `chatgpt:${id}`,
        content: read.text,
        role: read.role,
        ...stated({ createdAt: time, eventTime: time, metadata: read.metadata }),
      },
    });
  }
  return { memories, traces, leftOut, firstText };
}

/** One of the nodes of a conversation, which regenerated and edited messages make a tree. */
interface TreeNode {
  readonly key: string;
  readonly message: Fields | undefined;
  readonly parent: string | undefined;
}

type Nodes = ReadonlyMap<string, TreeNode>;

/** A message with the key of its node. */
interface NodeMessage {
  readonly key: string;
  readonly message: Fields;
}

interface ChatTree {
  /** Messages from the first to the current one. */
  readonly line: readonly NodeMessage[];
  /** Messages of the other branches: one list for each leaf, from there up to the line or to a branch before. */
  readonly others: readonly (readonly NodeMessage[])[];
}

/**
 * The line of a conversation from `current_node` up to the root; without a current node, from the newest leaf.
 * @param mapping node by key: `{parent, children, message}`
 * @param timeOf milliseconds
 */
function readTree(
  mapping: Fields,
  current: unknown,
  timeOf: (message: Fields) => number | undefined,
): ChatTree {
  const nodes = nodesOf(mapping);
  const leaves = leavesOf(nodes);
  const start = typeof current === 'string' && nodes.has(current) ? current : newest(nodes, leaves, timeOf);
  const seen = new Set<string>();
  const line = pathUp(nodes, start, seen).reverse();
  const others = leaves.filter((key) => !seen.has(key)).map((key) => pathUp(nodes, key, seen));
  return { line, others };
}

function nodesOf(mapping: Fields): Nodes {
  const claimed = new Map<string, string>();
  for (const [key, value] of Object.entries(mapping))
    for (const child of listOf(fieldsOf(value)?.children))
      if (typeof child === 'string' && child !== key && !claimed.has(child)) claimed.set(child, key);
  const nodes = new Map<string, TreeNode>();
  for (const [key, value] of Object.entries(mapping)) {
    const node = fieldsOf(value);
    if (!node) continue;
    const named = typeof node.parent === 'string' && fieldsOf(mapping[node.parent]) ? node.parent : undefined;
    nodes.set(key, { key, message: fieldsOf(node.message), parent: named ?? claimed.get(key) });
  }
  return nodes;
}

/** Keys of nodes without children; all if each has one, as in a circle. */
function leavesOf(nodes: Nodes): readonly string[] {
  const parents = new Set([...nodes.values()].map(({ parent }) => parent));
  const leaves = [...nodes.keys()].filter((key) => !parents.has(key));
  return leaves.length > 0 ? leaves : [...nodes.keys()];
}

/** The last of the newest: a message without a time is older than any with one. */
function newest(nodes: Nodes, keys: readonly string[], timeOf: (message: Fields) => number | undefined) {
  let found: { readonly key: string; readonly time: number } | undefined;
  for (const key of keys) {
    const message = nodes.get(key)?.message;
    const time = message ? (timeOf(message) ?? -1) : -2;
    if (!found || time >= found.time) found = { key, time };
  }
  return found?.key;
}

/** Messages from a node up to the root, or to the first node that is in `seen`, to which they are added. */
function pathUp(nodes: Nodes, start: string | undefined, seen: Set<string>): NodeMessage[] {
  const path: NodeMessage[] = [];
  let node = start === undefined ? undefined : nodes.get(start);
  while (node && !seen.has(node.key)) {
    seen.add(node.key);
    const { key, message, parent } = node;
    if (message) path.push({ key, message });
    node = parent === undefined ? undefined : nodes.get(parent);
  }
  return path;
}
