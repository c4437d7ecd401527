import {
  anyFile,
  type Fields,
  type ImportRecord,
  type Input,
  type InputFile,
  type Reader,
} from '../reader.ts';
import { chosen } from '../shared/chosen.ts';
import { fieldsOf, firstText, idText, listOf, stated, storableText } from '../shared/fields.ts';
import { hasMember, jsonElements, jsonLines } from '../shared/json.ts';
import { LeftOut } from '../shared/left-out.ts';
import { Seen } from '../shared/seen.ts';
import { readTime } from '../shared/values.ts';

const headBytes = 64 * 1024;
const textNames = ['content', 'text', 'memory', 'data'];

/** Items of a LangGraph store, those that LangMem keeps there included: a list of them, lines, or a result of a search. */
export const langgraph: Reader = {
  format: 'langgraph',
  title: 'items of a LangGraph store',
  recognises: (input) => anyFile(input, hasItems),
  read: (input, { only }) => chosen(readAll(input), only),
};

async function* readAll(input: Input): AsyncGenerator<ImportRecord> {
  const reading: ReadState = { leftOut: new LeftOut(), seen: new Seen() };
  for (const file of input.files)
    if (input.files.length === 1 || (await hasItems(file))) yield* readItems(file, reading);
    else reading.leftOut.add('unknown file');
  yield* reading.leftOut.records();
}

async function hasItems(file: InputFile): Promise<boolean> {
  if (!/\.(jsonl?|ndjson)$/i.test(file.path)) return false;
  const head = await file.head(headBytes);
  const has = (names: string) => hasMember(head, names);
  return /^\s*[[{]/.test(head) && has('namespace|prefix') && has('key') && has('value');
}

interface ReadState {
  readonly leftOut: LeftOut;
  readonly seen: Seen;
}

async function* readItems(file: InputFile, reading: ReadState): AsyncGenerator<ImportRecord> {
  const head = await file.head(headBytes);
  const isDocument = /^\s*(\[|\{\s*"items"\s*:)/.test(head);
  for await (const { at, number, value, refusal, size } of isDocument
    ? jsonElements(file)
    : jsonLines(file)) {
    const fields = refusal === undefined ? fieldsOf(value) : undefined;
    if (fields && number > 0) yield* recordsOf(fields, at, reading);
    else if (number > 0) yield { kind: 'refused', at, reason: refusal ?? 'it is not an item' };
    yield { kind: 'read', size };
  }
}

function* recordsOf(fields: Fields, at: string, { leftOut, seen }: ReadState): Generator<ImportRecord> {
  const namespace = namespaceOf(fields.namespace ?? fields.prefix);
  const key = idText(fields.key);
  if (key === undefined) return yield { kind: 'refused', at, reason: 'the item has no key' };
  const read = readValue(fields.value);
  if (!read) return leftOut.add('empty');
  const externalId = `langgraph:${[...namespace, key].join('/')}`;
  if (!seen.isNew(externalId)) return leftOut.add('duplicate');
  const conversation = ['langgraph', ...namespace].join(':');
  if (seen.isNew(conversation))
    yield {
      kind: 'conversation',
      externalId: conversation,
      title: namespace.join(' / ') || 'LangGraph store',
    };
  const createdAt = readTime(fields.created_at);
  if (createdAt === undefined && storableText(fields.created_at) !== undefined)
    yield { kind: 'noted', at, reason: `its time ${String(fields.created_at)} cannot be read` };
  const metadata = stated({ key, ...read.metadata });
  const body = { externalId, content: read.text, memoryType: 'semantic', ...stated({ createdAt, metadata }) };
  yield { kind: 'memory', at, conversation, body };
}

/** A list of texts, or one with dots between them as the tables of the store have it. */
function namespaceOf(value: unknown): readonly string[] {
  const parts = typeof value === 'string' ? value.split('.') : listOf(value);
  return parts.map(idText).filter((part) => part !== undefined);
}

interface ItemText {
  readonly text: string;
  /** Members beyond the text. */
  readonly metadata: Fields;
}

/**
 * LangMem writes `{kind, content}`, whose content is a text or an object with one. A value without a text, such as a
 * profile, is kept as its JSON.
 */
function readValue(value: unknown): ItemText | undefined {
  const alone = storableText(value);
  if (alone !== undefined) return { text: alone, metadata: {} };
  const fields = fieldsOf(value);
  if (!fields || Object.keys(fields).length === 0) return undefined;
  const { kind, content } = fields;
  const inner = fieldsOf(content);
  const named = textIn(inner ?? fields);
  const metadata = { kind: storableText(kind), ...named?.others };
  if (named)
    return { text: named.text, metadata: inner ? metadata : { ...metadata, kind: storableText(kind) } };
  const text = storableText(JSON.stringify(inner ?? fields, undefined, 1));
  return text === undefined ? undefined : { text, metadata: stated({ kind: storableText(kind) }) };
}

function textIn(fields: Fields): { readonly text: string; readonly others: Fields } | undefined {
  const text = firstText(fields, textNames);
  const used = textNames.find((name) => storableText(fields[name]) === text);
  if (text === undefined) return undefined;
  return { text, others: Object.fromEntries(Object.entries(fields).filter(([name]) => name !== used)) };
}
