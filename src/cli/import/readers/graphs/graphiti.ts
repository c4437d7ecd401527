import { anyFile, type Fields, type ImportRecord, type InputFile, type Reader } from '../reader.ts';
import { fieldsOf, firstText, idText, listOf, stated } from '../shared/fields.ts';
import { hasMember, jsonElements, jsonLines, type ReadJson } from '../shared/json.ts';
import { LeftOut } from '../shared/left-out.ts';
import { Seen } from '../shared/seen.ts';
import { idOf } from '../shared/texts.ts';
import { notedTimes, statementRecords, timeOf } from './statement-records.ts';

const headBytes = 64 * 1024;

/** Names that only Graphiti and Zep write, alone or together. */
const marks = [
  ['source_node_uuid|episodic_nodes|entity_edges|fact_embedding|name_embedding'],
  ['source_description', 'group_id'],
  ['fact', 'invalid_at|expired_at'],
];

/** Dumps of Graphiti and Zep: what `get_by_group_ids`, Cypher, `GET /episodes` and `POST /search` give, as JSON. */
export const graphiti: Reader = {
  format: 'graphiti',
  title: 'dump of a Graphiti or Zep graph',
  recognises: (input) => anyFile(input, isDump),
  async *read(input, { only }) {
    const dumps: InputFile[] = [];
    const leftOut = new LeftOut();
    for (const file of input.files)
      if (input.files.length === 1 || (await isDump(file))) dumps.push(file);
      else leftOut.add('unknown file');
    const reading: ReadState = { names: new Map(), threads: new Map(), leftOut, seen: new Seen(), only };
    // Edges name nodes that may come after them, and in another file.
    for (const file of dumps) await readNames(file, reading);
    for (const file of dumps) yield* readDump(file, reading);
    yield* leftOut.records();
  },
};

async function isDump(file: InputFile): Promise<boolean> {
  if (!/\.(?:jsonl?|ndjson)$/i.test(file.path)) return false;
  const head = await file.head(headBytes);
  return /^\s*[[{]/.test(head) && marks.some((all) => all.every((names) => hasMember(head, names)));
}

interface ReadState {
  /** Of nodes by their ids. */
  readonly names: Map<string, string>;
  /** Of Zep: the thread of a file's messages. */
  readonly threads: Map<string, string>;
  readonly leftOut: LeftOut;
  readonly seen: Seen;
  readonly only: ReadonlySet<string>;
}

/** A document, a list, or a line a record. */
async function* elementsOf(file: InputFile): AsyncGenerator<ReadJson> {
  const isLines = /\.(?:jsonl|ndjson)$/i.test(file.path);
  yield* isLines ? jsonLines(file) : jsonElements(file);
}

type Kind = 'episode' | 'node' | 'edge' | 'message';

const kindsByMember: Readonly<Record<string, Kind>> = {
  episodes: 'episode',
  episodic_nodes: 'episode',
  nodes: 'node',
  entities: 'node',
  entity_nodes: 'node',
  edges: 'edge',
  facts: 'edge',
  entity_edges: 'edge',
  relationships: 'edge',
  messages: 'message',
};

/** By the list that it is in, else by its members. */
function kindOf(fields: Fields, member: string | undefined): Kind | undefined {
  const known = kindsByMember[member ?? ''];
  if (known !== undefined) return known;
  if ('fact' in fields || 'source_node_uuid' in fields) return 'edge';
  if ('content' in fields || 'episode_body' in fields) return 'episode';
  return 'name' in fields ? 'node' : undefined;
}

const idIn = (fields: Fields) => idText(fields.uuid ?? fields.uuid_ ?? fields.id);

async function readNames(file: InputFile, { names, threads }: ReadState): Promise<void> {
  for await (const { value, member, number } of elementsOf(file)) {
    const thread =
      number === 0 && /^(?:thread_id|threadId|session_id)$/.test(member ?? '') ? idText(value) : undefined;
    if (thread !== undefined) threads.set(file.path, thread);
    const fields = fieldsOf(value);
    if (fields === undefined || kindOf(fields, member) !== 'node') continue;
    const [id, name] = [idIn(fields), firstText(fields, ['name'])];
    if (id !== undefined && name !== undefined) names.set(id, name.trim());
  }
}

async function* readDump(file: InputFile, reading: ReadState): AsyncGenerator<ImportRecord> {
  for await (const { at, value, member, number, refusal, size } of elementsOf(file)) {
    const fields = fieldsOf(value);
    if (refusal !== undefined) yield { kind: 'refused', at, reason: refusal };
    else if (number > 0 && fields === undefined) yield { kind: 'refused', at, reason: 'it is not an object' };
    else if (number > 0 && fields !== undefined)
      yield* recordsOf({ fields, at, file }, kindOf(fields, member), reading);
    yield { kind: 'read', size };
  }
}

interface Element {
  readonly fields: Fields;
  readonly at: string;
  readonly file: InputFile;
}

function* recordsOf(element: Element, kind: Kind | undefined, reading: ReadState): Generator<ImportRecord> {
  const { fields, at, file } = element;
  const { leftOut } = reading;
  if (kind === undefined) return leftOut.add('unknown record');
  if (kind === 'node') return firstText(fields, ['summary']) && leftOut.add('summary of an entity');
  const thread = kind === 'message' ? (reading.threads.get(file.path) ?? file.path) : undefined;
  const group =
    firstText(fields, ['group_id', 'graph_id', 'thread_id', 'session_id', 'user_id']) ?? thread ?? '';
  if (reading.only.size > 0 && !reading.only.has(group)) return leftOut.add('not chosen by --only');
  const text = firstText(fields, kind === 'edge' ? ['fact'] : ['content', 'episode_body'])?.trim();
  if (text === undefined) return leftOut.add('empty');
  const id = idIn(fields) ?? idOf(kind, group, text, fields.valid_at ?? fields.created_at ?? null);
  const externalId = `graphiti:${id}`;
  if (!reading.seen.isNew(externalId)) return leftOut.add('twice in the dump');
  const conversation = `graphiti:group:${group}`;
  if (reading.seen.isNew(conversation))
    yield { kind: 'conversation', externalId: conversation, title: group || 'Graphiti' };
  const place = { at, externalId, conversation };
  if (kind === 'edge') yield* edgeRecords(fields, { ...place, text }, reading);
  else yield* episodeRecords(fields, { ...place, text }, leftOut);
}

interface Place {
  readonly at: string;
  readonly externalId: string;
  readonly conversation: string;
  readonly text: string;
}

function edgeRecords(fields: Fields, place: Place, { names }: ReadState): Generator<ImportRecord> {
  const nameOf = (id: unknown) => names.get(idText(id) ?? '');
  return statementRecords({
    ...place,
    subject: nameOf(fields.source_node_uuid ?? fields.source),
    predicate: firstText(fields, ['name', 'relation'])?.trim(),
    object: nameOf(fields.target_node_uuid ?? fields.target),
    createdAt: fields.created_at,
    validAt: fields.valid_at,
    invalidAt: fields.invalid_at ?? fields.expired_at,
    metadata: {
      relation: firstText(fields, ['name', 'relation']),
      group: fields.group_id,
      episodes: listOf(fields.episodes),
    },
  });
}

/** `Name(role): text`, as the server of Graphiti writes messages. */
const said = /^([^\n():]{0,100}?)[ \t]*\((user|human|assistant|ai|system|tool)\)[ \t]*:[ \t]*/i;
const saidInLine = new RegExp(said.source, 'gim');
const roles: Readonly<Record<string, string>> = {
  user: 'user',
  human: 'user',
  assistant: 'assistant',
  ai: 'assistant',
};

function* episodeRecords(fields: Fields, place: Place, leftOut: LeftOut): Generator<ImportRecord> {
  const { at, externalId, conversation, text } = place;
  const { valid_at: validAt, created_at: createdAt } = fields;
  const { role, content } = speechOf(fields, text);
  if (role === 'system' || role === 'tool') return leftOut.add(`${role} message`);
  if (content === '') return leftOut.add('empty');
  yield* notedTimes(at, [validAt, createdAt]);
  const metadata = stated({
    name: fields.name,
    group: fields.group_id,
    kind: fields.source,
    description: fields.source_description,
    ...fieldsOf(fields.episode_metadata ?? fields.metadata),
  });
  const [written, happened] = [timeOf(createdAt) ?? timeOf(validAt), timeOf(validAt) ?? timeOf(createdAt)];
  const body = stated({ content, externalId, role, createdAt: written, eventTime: happened, metadata });
  yield { kind: 'memory', at, conversation, body };
}

/** Who says it: of one speaker the role, and the name before the text; several keep the text as it is. */
function speechOf(fields: Fields, text: string): { readonly role?: string; readonly content: string } {
  const stated = firstText(fields, ['role_type', 'role'])?.toLowerCase();
  if (stated !== undefined) return { role: roles[stated] ?? stated, content: text };
  const [whole, name = '', word = ''] = said.exec(text) ?? [];
  const speakers = new Set([...text.matchAll(saidInLine)].map(([, each, as]) => `${each} ${as}`));
  if (whole === undefined || speakers.size > 1) return { content: text };
  const rest = text.slice(whole.length).trim();
  const role = roles[word.toLowerCase()] ?? word.toLowerCase();
  return { role, content: name.trim() === '' || rest === '' ? rest : `${name.trim()}: ${rest}` };
}
