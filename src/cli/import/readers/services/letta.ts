import {
  anyFile,
  type Fields,
  type ImportRecord,
  type Input,
  type InputFile,
  type Reader,
} from '../reader.ts';
import { chosen } from '../shared/chosen.ts';
import { fieldsOf, firstText, idText, listOf, slugOf, stated, storableText } from '../shared/fields.ts';
import { hasMember } from '../shared/json.ts';
import { jsonObjects } from '../shared/json-objects.ts';
import { LeftOut } from '../shared/left-out.ts';
import { Seen } from '../shared/seen.ts';
import { idOf, shortHash } from '../shared/texts.ts';
import { readTime, topicsFrom } from '../shared/values.ts';

const headBytes = 64 * 1024;
const slugLengthMax = 28;

/** Agent files of Letta, and the lists of archival passages that its API returns. */
export const letta: Reader = {
  format: 'letta',
  title: 'Letta agent file',
  recognises: (input) => anyFile(input, isOfLetta),
  read: (input, { only }) => chosen(readAll(input), only),
};

async function* readAll(input: Input): AsyncGenerator<ImportRecord> {
  const reading: ReadState = { leftOut: new LeftOut(), seen: new Seen() };
  for (const file of input.files)
    if (input.files.length === 1 || (await isOfLetta(file))) yield* readFile(file, reading);
    else reading.leftOut.add('unknown file');
  yield* reading.leftOut.records();
}

async function isOfLetta(file: InputFile): Promise<boolean> {
  if (!/\.(af|json)$/i.test(file.path)) return false;
  const head = await file.head(headBytes);
  const has = (names: string) => hasMember(head, names);
  if (/^\s*\[/.test(head)) return has('text') && (has('archive_id') || hasMember(head, 'id', '"passage-'));
  if (!/^\s*\{/.test(head)) return false;
  return (has('agents') && has('block_ids|in_context_message_ids|agent_type')) || has('core_memory');
}

interface ReadState {
  readonly leftOut: LeftOut;
  readonly seen: Seen;
}

async function* readFile(file: InputFile, reading: ReadState): AsyncGenerator<ImportRecord> {
  for await (const { at, value, refusal, size } of jsonObjects(file)) {
    const fields = fieldsOf(value);
    if (!fields) yield { kind: 'refused', at, reason: refusal ?? 'it is neither an agent nor a passage' };
    else if (Array.isArray(fields.agents)) yield* recordsOfAgents(fields, at, reading);
    else if (fields.core_memory !== undefined || Array.isArray(fields.messages))
      yield* recordsOfAgent(fields, {
        at,
        blocks: listOf(fields.core_memory),
        reading,
        madeAt: readTime(fields.updated_at),
      });
    else yield* recordsOfPassage(fields, at, reading);
    yield { kind: 'read', size };
  }
}

function* recordsOfAgents(
  { agents, blocks, files, created_at }: Fields,
  at: string,
  reading: ReadState,
): Generator<ImportRecord> {
  const byId = new Map(listOf(blocks).map((block) => [idText(fieldsOf(block)?.id), block]));
  const used = new Set<unknown>();
  for (const [i, value] of listOf(agents).entries()) {
    const agent = fieldsOf(value);
    const place = `${at}, agent ${i + 1}`;
    if (!agent) {
      yield { kind: 'refused', at: place, reason: 'it is not an agent' };
      continue;
    }
    const own = listOf(agent.block_ids).map((id) => byId.get(idText(id)));
    for (const block of own) used.add(block);
    yield* recordsOfAgent(agent, {
      at: place,
      blocks: own.filter(Boolean),
      reading,
      madeAt: readTime(created_at),
    });
  }
  for (const block of listOf(blocks))
    if (!used.has(block)) yield* recordsOfBlock(block, { at, reading, madeAt: readTime(created_at) });
  for (const _ of listOf(files)) reading.leftOut.add('file');
}

interface AgentPlace {
  readonly at: string;
  readonly blocks: readonly unknown[];
  readonly reading: ReadState;
  /** When the file was made: blocks have no times. */
  readonly madeAt: string | undefined;
}

function* recordsOfAgent(
  agent: Fields,
  { at, blocks, reading, madeAt }: AgentPlace,
): Generator<ImportRecord> {
  const { leftOut, seen } = reading;
  const name = storableText(agent.name)?.trim() ?? 'agent';
  const conversation = `letta:${name}`;
  for (const [i, value] of listOf(agent.messages).entries()) {
    const read = readMessage(fieldsOf(value));
    if (typeof read === 'string') {
      leftOut.add(read);
      continue;
    }
    // Ids are numbered again in each file.
    const externalId = `letta:${idOf(name, read.time ?? null, read.role, read.text)}`;
    if (!seen.isNew(externalId)) {
      leftOut.add('duplicate');
      continue;
    }
    if (seen.isNew(conversation)) yield { kind: 'conversation', externalId: conversation, title: name };
    const times = stated({ createdAt: read.time, eventTime: read.time });
    const body = { externalId, content: read.text, role: read.role, ...times };
    yield { kind: 'memory', at: `${at}, message ${i + 1}`, conversation, body };
  }
  for (const block of blocks) yield* recordsOfBlock(block, { agent: name, at, reading, madeAt });
}

interface Said {
  readonly role: 'user' | 'assistant';
  readonly text: string;
  readonly time: string | undefined;
}

/** A message that was said, or the reason to leave it out. */
function readMessage(message: Fields | undefined): Said | string {
  if (!message) return 'not a message';
  const { role, content, text, created_at, tool_calls } = message;
  if (role === 'system') return 'system message';
  if (role !== 'user' && role !== 'assistant') return 'tool message';
  const whole = textOfContent(content ?? text);
  const calls = listOf(tool_calls);
  const said = role === 'user' ? unpacked(whole) : calls.length > 0 ? sentText(calls) : { text: whole };
  if (said === undefined) return role === 'user' ? 'system message' : 'tool message';
  return said.text === undefined ? 'empty' : { role, text: said.text, time: readTime(created_at) };
}

function textOfContent(content: unknown): string | undefined {
  if (typeof content === 'string') return storableText(content);
  const parts = listOf(content).map((part) => {
    const { type, text } = fieldsOf(part) ?? {};
    return type === undefined || type === 'text' ? storableText(text) : undefined;
  });
  return storableText(parts.filter((part) => part !== undefined).join('\n\n'));
}

interface PlainText {
  readonly text: string | undefined;
}

/** The text of a user, which older agents pack into `{"type": "user_message", "message": …}`; undefined for events. */
function unpacked(text: string | undefined): PlainText | undefined {
  const packed = text?.trimStart().startsWith('{') ? parsed(text) : undefined;
  if (typeof packed?.type !== 'string') return { text };
  return packed.type === 'user_message' ? { text: storableText(packed.message) } : undefined;
}

/** An older agent speaks by a tool; text next to calls is its thinking. Undefined if it calls others only. */
function sentText(calls: readonly unknown[]): PlainText | undefined {
  const sent = calls
    .map((call) => fieldsOf(fieldsOf(call)?.function) ?? {})
    .filter(({ name }) => name === 'send_message')
    .map(({ arguments: given }) => (typeof given === 'string' ? parsed(given) : fieldsOf(given)))
    .map((given) => storableText(given?.message))
    .filter((text) => text !== undefined);
  return sent.length === 0 ? undefined : { text: sent.join('\n\n') };
}

function parsed(text: string): Fields | undefined {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    // A text that only begins like JSON is a text.
    return undefined;
  }
}

function* recordsOfBlock(
  value: unknown,
  { agent, at, reading, madeAt: createdAt }: Omit<AgentPlace, 'blocks'> & { readonly agent?: string },
): Generator<ImportRecord> {
  const { leftOut } = reading;
  const block = fieldsOf(value);
  const content = storableText(block?.value);
  if (!block || content === undefined) return leftOut.add(block ? 'empty' : 'not a block');
  const label = firstText(block, ['label', 'name'])?.trim() ?? 'block';
  const name = ['letta', ...(agent === undefined ? [] : [nameOf(agent)]), nameOf(label)].join('-');
  const metadata = stated({ agent, label, description: storableText(block.description) });
  yield {
    kind: 'named',
    at: `${at}, block ${label}`,
    name,
    body: { content, ...stated({ createdAt, metadata }) },
  };
}

/** A part of a name; signs that a name cannot have are told apart by a hash. */
function nameOf(text: string): string {
  const slug = slugOf(text, slugLengthMax);
  if (slug === text.toLowerCase().replace(/[ _]/g, '-')) return slug;
  const digest = shortHash(text);
  return [slug.slice(0, slugLengthMax - digest.length - 1).replace(/-+$/, ''), digest]
    .filter(Boolean)
    .join('-');
}

function* recordsOfPassage(
  fields: Fields,
  at: string,
  { leftOut, seen }: ReadState,
): Generator<ImportRecord> {
  const content = storableText(fields.text);
  if (content === undefined) return leftOut.add('empty');
  const createdAt = readTime(fields.created_at);
  const externalId = `letta:${idText(fields.id) ?? idOf(createdAt ?? null, content)}`;
  if (!seen.isNew(externalId)) return leftOut.add('duplicate');
  const conversation = 'letta:archival-memory';
  if (seen.isNew(conversation))
    yield { kind: 'conversation', externalId: conversation, title: 'Letta archival memory' };
  const stored = stated({ createdAt, topics: topicsFrom(fields.tags), metadata: fieldsOf(fields.metadata) });
  yield {
    kind: 'memory',
    at,
    conversation,
    body: { externalId, content, memoryType: 'semantic', ...stored },
  };
}
