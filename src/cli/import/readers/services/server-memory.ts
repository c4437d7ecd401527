import {
  anyFile,
  type Fields,
  type ImportRecord,
  type Input,
  type InputFile,
  type Reader,
} from '../reader.ts';
import { chosen } from '../shared/chosen.ts';
import { fieldsOf, firstText, listOf, normalisedSentence, storableText } from '../shared/fields.ts';
import { hasMember, jsonElements, jsonLines, type ReadJson } from '../shared/json.ts';
import { LeftOut } from '../shared/left-out.ts';
import { Seen } from '../shared/seen.ts';
import { idOf } from '../shared/texts.ts';
import { topicsFrom } from '../shared/values.ts';

const headBytes = 64 * 1024;

/** The knowledge graph of the reference memory server of MCP: its file of lines, or what `read_graph` returns. */
export const serverMemory: Reader = {
  format: 'server-memory',
  title: 'memory of the MCP server "memory"',
  recognises: (input) => anyFile(input, hasGraph),
  read: (input, { only }) => chosen(readAll(input), only),
};

async function* readAll(input: Input): AsyncGenerator<ImportRecord> {
  const reading: ReadState = { leftOut: new LeftOut(), seen: new Seen() };
  for (const file of input.files)
    if (input.files.length === 1 || (await hasGraph(file))) yield* readGraph(file, reading);
    else reading.leftOut.add('unknown file');
  yield* reading.leftOut.records();
}

const isDocument = (head: string) => /^\s*\{\s*"(entities|relations)"\s*:/.test(head);

async function hasGraph(file: InputFile): Promise<boolean> {
  if (!/\.(jsonl?|ndjson|txt)$/i.test(file.path)) return false;
  const head = await file.head(headBytes);
  if (isDocument(head)) return hasMember(head, 'observations|relationType|relation_type');
  return /^\s*[[{]/.test(head) && hasMember(head, 'type', '"(entity|relation)"');
}

interface ReadState {
  readonly leftOut: LeftOut;
  /** External ids of memories, facts and conversations. */
  readonly seen: Seen;
}

async function* readGraph(file: InputFile, reading: ReadState): AsyncGenerator<ImportRecord> {
  const head = await file.head(headBytes);
  const lines = /^\s*\[\s*\{/.test(head) ? jsonElements(file) : jsonLines(file);
  const elements = isDocument(head) ? documentElements(file) : lines;
  for await (const { at, value, refusal, size } of elements) {
    const fields = fieldsOf(value);
    if (fields) yield* recordsOf(fields, at, reading);
    else if (refusal !== undefined || value !== undefined)
      yield { kind: 'refused', at, reason: refusal ?? 'it is not an object' };
    yield { kind: 'read', size };
  }
}

/** Elements of `{"entities": […], "relations": […]}` with the type that a line has. */
async function* documentElements(file: InputFile): AsyncGenerator<ReadJson> {
  const types = new Map([
    ['entities', 'entity'],
    ['relations', 'relation'],
  ]);
  for await (const element of jsonElements(file)) {
    const type = types.get(element.member ?? '');
    const fields = fieldsOf(element.value);
    // Other members of the document only count for the progress.
    if (type === undefined && element.refusal === undefined) yield { ...element, value: undefined };
    else if (type === undefined || !fields) yield element;
    else yield { ...element, value: { ...fields, type } };
  }
}

function* recordsOf(fields: Fields, at: string, reading: ReadState): Generator<ImportRecord> {
  if (fields.type === 'entity') yield* recordsOfEntity(fields, at, reading);
  else if (fields.type === 'relation') yield* recordsOfRelation(fields, at, reading);
  else reading.leftOut.add('unknown type');
}

function* recordsOfEntity(fields: Fields, at: string, { leftOut, seen }: ReadState): Generator<ImportRecord> {
  const name = firstText(fields, ['name', 'entityName', 'id'])?.trim();
  if (name === undefined) return yield { kind: 'refused', at, reason: 'the entity has no name' };
  const type = firstText(fields, ['entityType', 'entity_type'])?.trim();
  const conversation = `server-memory:${name}`;
  for (const [i, value] of observationsOf(fields).entries()) {
    const observation = storableText(value) ?? storableText(fieldsOf(value)?.content);
    if (observation === undefined) {
      leftOut.add('not a text');
      continue;
    }
    const externalId = `server-memory:${idOf(name, observation)}`;
    if (!seen.isNew(externalId)) {
      leftOut.add('duplicate');
      continue;
    }
    if (seen.isNew(conversation)) yield { kind: 'conversation', externalId: conversation, title: name };
    const topics = type === undefined ? undefined : topicsFrom([type]);
    const content = names(observation, name) ? observation : `${name}: ${observation}`;
    const body = { externalId, content, memoryType: 'semantic', ...(topics && { topics }) };
    yield { kind: 'memory', at: `${at}, observation ${i + 1}`, conversation, body };
  }
  if (type !== undefined) yield* fact({ subject: name, predicate: 'is a', object: type }, at, seen);
}

function observationsOf({ observations }: Fields): readonly unknown[] {
  return typeof observations === 'string' ? [observations] : listOf(observations);
}

/** Whether a text names an entity by itself: its name, as words of their own. */
function names(text: string, name: string): boolean {
  const place = normalisedSentence(text).indexOf(normalisedSentence(name));
  if (place === -1) return false;
  const sentence = normalisedSentence(text);
  const letter = /[\p{L}\p{N}_]/u;
  const before = sentence[place - 1] ?? ' ';
  const after = sentence[place + normalisedSentence(name).length] ?? ' ';
  return !letter.test(before) && !letter.test(after);
}

function* recordsOfRelation(
  fields: Fields,
  at: string,
  { leftOut, seen }: ReadState,
): Generator<ImportRecord> {
  const subject = firstText(fields, ['from', 'from_id'])?.trim();
  const object = firstText(fields, ['to', 'to_id'])?.trim();
  const predicate = firstText(fields, ['relationType', 'relation_type'])?.trim();
  if (subject === undefined || object === undefined) leftOut.add('relation without an end');
  else if (predicate === undefined) leftOut.add('relation without a type');
  else yield* fact({ subject, predicate, object }, at, seen);
}

interface Triple {
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
}

function* fact(triple: Triple, at: string, seen: Seen): Generator<ImportRecord> {
  const externalId = `server-memory:fact:${idOf(triple.subject, triple.predicate, triple.object)}`;
  if (seen.isNew(externalId)) yield { kind: 'fact', at, externalId, body: { ...triple } };
}
