import { layoutVersion } from '../../../export/record-fields.ts';
import { ownId } from '../markdown/own-notes.ts';
import {
  anyFile,
  type ConversationRecord,
  type Fields,
  type ImportRecord,
  type InputFile,
  type Reader,
} from '../reader.ts';
import { fieldsOf, listOf } from '../shared/fields.ts';
import { jsonLines } from '../shared/json.ts';

const headBytes = 1000;
const headMark = /^\{"kind":"export","layout":"memoryd-lines"/;

/** Files of `memoryd export --as jsonl`. */
export const memorydLines: Reader = {
  format: 'memoryd',
  title: 'JSON Lines of memoryd export',
  isOwn: true,
  recognises: (input) => anyFile(input, hasHead),
  async *read({ files }) {
    for (const file of files)
      if (files.length === 1 || (await hasHead(file))) yield* readLines(file);
      else yield { kind: 'leftOut', reason: 'other file' };
  },
};

const hasHead = async (file: InputFile) => headMark.test(await file.head(headBytes));

async function* readLines(file: InputFile): AsyncGenerator<ImportRecord> {
  const conversations = new Map<string, ConversationRecord>();
  let hasEnd = false;
  for await (const { at, value, refusal, size } of jsonLines(file)) {
    const line = fieldsOf(value);
    if (line === undefined) yield { kind: 'refused', at, reason: refusal ?? 'it is not an object' };
    else if (line.kind === 'export' && line.version !== layoutVersion)
      return yield {
        kind: 'refused',
        at,
        reason: `its layout ${String(line.version)} is of another version of memoryd`,
      };
    else yield* recordsOf(line, at, conversations);
    if (line?.kind === 'end') hasEnd = true;
    yield { kind: 'read', size };
  }
  if (!hasEnd) yield { kind: 'noted', at: file.path, reason: 'it was cut off: its last line is missing' };
}

function* recordsOf(
  line: Fields,
  at: string,
  conversations: Map<string, ConversationRecord>,
): Generator<ImportRecord> {
  const { kind, id, externalId, conversationId, ...rest } = line;
  if (kind === 'conversation') {
    const record = { ...rest, kind, externalId: ownId(id, externalId) } as unknown as ConversationRecord;
    conversations.set(String(id), record);
  } else if (kind === 'memory') {
    // Again with each memory: the writer remembers only the last of many.
    const conversation = conversations.get(String(conversationId));
    if (conversation) yield conversation;
    yield* memoryRecords(rest, {
      at,
      externalId: ownId(id, externalId),
      conversation: conversation?.externalId,
    });
  } else if (kind === 'fact') yield factRecord(line, at, undefined);
  else if (kind === 'artifact') yield artifactRecord(line, at);
}

interface Place {
  readonly at: string;
  readonly externalId: string;
  readonly conversation: string | undefined;
}

function* memoryRecords(line: Fields, { at, externalId, conversation }: Place): Generator<ImportRecord> {
  const { version: _v, updatedAt: _u, effectiveState: _s, relationships, facts, ...body } = line;
  yield { kind: 'memory', at, conversation, body: { ...body, externalId } };
  for (const fact of listOf(facts)) yield factRecord(fieldsOf(fact) ?? {}, at, externalId);
  for (const each of listOf(relationships)) {
    const { type, to, toExternalId, reason } = fieldsOf(each) ?? {};
    yield {
      kind: 'relationship',
      at,
      from: externalId,
      to: ownId(to, toExternalId),
      type: String(type),
      ...(typeof reason === 'string' && { reason }),
    };
  }
}

function factRecord(line: Fields, at: string, memory: string | undefined): ImportRecord {
  const { id, externalId, subject, predicate, object, confidence } = line;
  return {
    kind: 'fact',
    at,
    memory,
    externalId: ownId(id, externalId),
    body: { subject, predicate, object, confidence },
  };
}

function artifactRecord(line: Fields, at: string): ImportRecord {
  const { id, externalId, memoryId, memoryExternalId, content, type, name, description, metadata } = line;
  return {
    kind: 'artifact',
    at,
    memory: memoryId === undefined ? undefined : ownId(memoryId, memoryExternalId),
    externalId: ownId(id, externalId),
    body: { content, type, name, description, metadata },
  };
}
