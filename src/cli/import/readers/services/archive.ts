import { LRUCache } from 'lru-cache';
import type { Fields, ImportRecord, InputFile, Reader } from '../reader.ts';
import { isFields, textOf } from '../shared/fields.ts';
import { jsonElements } from '../shared/json.ts';
import { titleFrom } from '../shared/texts.ts';

const headBytes = 4096;
const archiveMark = /^\s*\{\s*"exportVersion"\s*:/;
const conversationsMax = 100_000;
const idsMax = 200_000;

/** The archive of `GET /api/users/me/export`, of this service or the hosted one: one JSON object with a list for each kind. */
export const archive: Reader = {
  format: 'memoryd',
  title: 'an archive of GET /api/users/me/export',
  isOwn: true,
  async recognises({ files }) {
    for (const file of files) if (archiveMark.test(await file.head(headBytes))) return true;
    return false;
  },
  async *read({ files }) {
    for (const file of files) {
      if (files.length === 1 || archiveMark.test(await file.head(headBytes))) yield* recordsOf(file);
      else yield { kind: 'leftOut', reason: 'other file' };
    }
  },
};

/** The records of an archive that others name by their ids in it. */
export interface Known {
  readonly conversations: LRUCache<string, Fields>;
  /** External ids of memories that have one of their own. */
  readonly memories: LRUCache<string, string>;
}

export const newKnown = (): Known => ({
  conversations: new LRUCache<string, Fields>({ max: conversationsMax }),
  memories: new LRUCache<string, string>({ max: idsMax }),
});

/** The file is read twice, since memories come before their conversations in it. */
async function* recordsOf(file: InputFile): AsyncGenerator<ImportRecord> {
  const known = newKnown();
  for await (const { member, value } of jsonElements(file))
    if (member === 'conversations' && isFields(value)) known.conversations.set(String(value.id), value);
  for await (const { at, member, number, value, refusal, size } of jsonElements(file)) {
    if (refusal !== undefined) yield { kind: 'refused', at, reason: refusal };
    else if (number > 0) yield* recordOf(member, value, { at, known });
    yield { kind: 'read', size };
  }
}

interface Place {
  readonly at: string;
  readonly known: Known;
}

function* recordOf(
  member: string | undefined,
  value: unknown,
  { at, known }: Place,
): Generator<ImportRecord> {
  if (member === 'conversations') return;
  if (!isFields(value)) yield { kind: 'refused', at, reason: 'it must be a JSON object' };
  else if (member === 'memories') yield* memoryOf(value, at, known);
  else if (member === 'facts') yield factOf(value, at, known);
  else yield { kind: 'leftOut', reason: member === 'patterns' ? 'pattern, found again here' : 'other list' };
}

export const ownId = (record: Fields) => textOf(record.externalId) ?? `memoryd:${String(record.id)}`;

/** Fields of a memory that a create takes. */
const keptFields = [
  'content',
  'role',
  'context',
  'topics',
  'eventTime',
  'validFrom',
  'validTo',
  'createdAt',
  'codeContext',
  'metadata',
  'taskId',
  'outcome',
  'importance',
] as const;

export function* memoryOf(memory: Fields, at: string, known: Known): Generator<ImportRecord> {
  const externalId = ownId(memory);
  if (textOf(memory.externalId) !== undefined) known.memories.set(String(memory.id), externalId);
  const kept = keptFields.flatMap((name) =>
    (memory[name] ?? null) === null ? [] : [[name, memory[name]] as const],
  );
  const body: Record<string, unknown> = Object.fromEntries(kept);
  // Chosen by a person; the service finds the others' again.
  if (memory.memoryTypeUserSet !== false && memory.memoryType !== undefined)
    body.memoryType = memory.memoryType;
  // Relationships are not in the archive: a memory that another one superseded ends with its last change.
  const isOutdated = memory.effectiveState === 'superseded' || memory.effectiveState === 'contradicted';
  if (isOutdated) body.validTo ??= memory.updatedAt ?? memory.createdAt;
  const name = textOf(memory.name);
  if (name !== undefined) {
    known.memories.set(String(memory.id), `memoryd:named:${name}`);
    return yield { kind: 'named', at, name, body };
  }
  const conversation = conversationOf(memory, known);
  if (conversation !== undefined) yield conversation;
  yield { kind: 'memory', at, conversation: conversation?.externalId, body: { ...body, externalId } };
}

function conversationOf(memory: Fields, { conversations }: Known) {
  const id = textOf(memory.conversationId);
  if (id === undefined) return undefined;
  const conversation = conversations.get(id) ?? { id };
  const { createdAt, agentSessionId, summary, metadata } = conversation;
  return {
    kind: 'conversation',
    externalId: ownId(conversation),
    title: textOf(conversation.title) ?? titleFrom(String(memory.content ?? '')),
    createdAt: textOf(createdAt),
    agentSessionId: textOf(agentSessionId),
    summary: textOf(summary),
    ...(isFields(metadata) && { metadata }),
  } as const;
}

/** A fact that a person stated or corrected; the service derives the others again. */
export function factOf(fact: Fields, at: string, { memories }: Known): ImportRecord {
  const { subject, predicate, object, confidence, confidenceBasis, corrected, sourceMemoryId } = fact;
  if (confidenceBasis !== undefined && corrected !== true)
    return { kind: 'leftOut', reason: 'derived fact, derived again here' };
  const source = textOf(sourceMemoryId);
  return {
    kind: 'fact',
    at,
    ...(source !== undefined && { memory: memories.get(source) ?? `memoryd:${source}` }),
    externalId: ownId(fact),
    body: { subject, predicate, object, ...(confidence !== undefined && { confidence }) },
  };
}
