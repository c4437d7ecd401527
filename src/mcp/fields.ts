import { type Static, Type } from 'typebox';
import {
  batchIdLengthMax,
  contentLengthMax,
  effectiveStates,
  type Memory,
  memoryTypes,
  namePattern,
  nameRule,
  orderTime,
  outcomes,
  topicLengthMax,
  topicsMax,
} from '../domain/memories/memory.ts';
import { type EpochMs, toIso, windowPattern, windowRule } from '../domain/shared/time.ts';
import { waysOf } from '../domain/shared/user-ref.ts';
import { looksSecret, secretStored } from '../lib/hide-secrets.ts';

/** Arguments that several tools share. */
export const idField = (description?: string) =>
  Type.String({ minLength: 1, maxLength: batchIdLengthMax, ...(description && { description }) });

export const contentField = (description: string) =>
  Type.String({ minLength: 1, maxLength: contentLengthMax, description });

export const nameField = (description?: string) =>
  Type.String({ pattern: namePattern, rule: nameRule, ...(description && { description }) });

export const topicsField = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: topicLengthMax }), { maxItems: topicsMax, description });

/** Without a pattern: that of dates has 230 tokens, and `parseTime` refuses invalid times with field and rule. */
export const timeField = (description?: string) =>
  Type.String({ maxLength: 64, format: 'date-time', ...(description && { description }) });

export const windowField = (description: string) =>
  Type.String({ pattern: windowPattern, rule: windowRule, description });

export const choiceField = <const V extends readonly string[]>(
  values: V,
  description?: string,
  byDefault?: V[number],
) =>
  Type.Unsafe<V[number]>({
    type: 'string',
    enum: [...values],
    ...(byDefault !== undefined && { default: byDefault }),
    ...(description && { description }),
  });

export const queryField = (description: string) =>
  Type.String({ minLength: 1, maxLength: 32_768, description });

export const limitField = (byDefault: number, maximum: number) =>
  Type.Integer({ minimum: 1, maximum, default: byDefault });

export const shareField = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });

export const offsetField = Type.Integer({
  minimum: 0,
  maximum: 1_000_000,
  default: 0,
  description: 'To go on: the nextOffset of the answer before.',
});

/** Any JSON object. */
function jsonObjectField(description: string) {
  return Type.Unsafe<Readonly<Record<string, unknown>>>({
    type: 'object',
    additionalProperties: true,
    description,
  });
}

export const metadataField = jsonObjectField('Any JSON to keep with it, at most 16 KiB.');

export const warningField = {
  warning: Type.Optional(
    Type.String({ description: 'The text was stored, and looks like it has a secret.' }),
  ),
};

/** A warning if the text seems to contain a key or a password. */
export function secretWarning(content: string | undefined): { readonly warning?: string } {
  return content !== undefined && looksSecret(content) ? { warning: secretStored } : {};
}

/** Length of an id in answers; every argument for an id takes it. */
const shortIdLength = 8;

export const shortId = (id: string) => id.slice(0, shortIdLength);

/** The day in UTC, as in 2026-02-01. */
export const toDate = (time: EpochMs) => toIso(time).split('T', 1)[0];

/** A memory in a list for agents: its text and date, and the fields that a next step needs. */
export const MemoryItemSchema = Type.Object({
  id: Type.String({ description: 'The beginning of its id, which every tool takes.' }),
  at: Type.String({ description: 'Date when it happened, else when it was written.' }),
  content: Type.String(),
  truncated: Type.Optional(Type.Boolean({ description: 'The content is a part; `get` has the whole.' })),
  from: Type.Optional(Type.Integer({ description: 'Where the part begins: `from` of `get` to read on.' })),
  name: Type.Optional(Type.String()),
  version: Type.Optional(Type.Integer()),
  topics: Type.Optional(Type.Array(Type.String())),
  state: Type.Optional(choiceField(effectiveStates, 'Absent: current. Do not rely on one that is not.')),
  newer: Type.Optional(Type.String({ description: 'Id of the memory that replaces it, or a part of it.' })),
  open: Type.Optional(Type.Boolean({ description: 'True: what it tells of is not done.' })),
  via: Type.Optional(
    Type.String({ description: '`import`: it came with an import; `hook`: it was said in a session.' }),
  ),
});
export type MemoryItem = Static<typeof MemoryItemSchema>;

export function toMemoryItem(memory: Memory): MemoryItem {
  const { effectiveState, name, chainVersion, topics, createdBy } = memory;
  return {
    id: shortId(memory.id),
    at: toDate(orderTime(memory)),
    content: memory.content,
    ...(name !== null && { name }),
    ...(chainVersion !== null && { version: chainVersion }),
    ...(topics.length > 0 && { topics: [...topics] }),
    ...(effectiveState !== 'current' && { state: effectiveState }),
    ...(memory.outcome === 'unresolved' && { open: true }),
    ...((createdBy?.via === 'import' || createdBy?.via === 'hook') && { via: createdBy.via }),
  };
}

/** A memory as `get` answers it. */
export const WholeMemorySchema = Type.Object({
  ...MemoryItemSchema.properties,
  conversationId: Type.String(),
  memoryType: Type.Optional(choiceField(memoryTypes, 'Absent: episodic.')),
  outcome: Type.Optional(choiceField(outcomes, 'Whether what it tells of was resolved.')),
  metadata: Type.Optional(jsonObjectField('What was kept with it.')),
  by: Type.Optional(
    Type.String({ description: 'The key that stored it, and its way in, with program and tool.' }),
  ),
});
type WholeMemory = Static<typeof WholeMemorySchema>;

export function toWholeMemory(memory: Memory): WholeMemory {
  const { id, conversationId, memoryType, outcome, metadata, createdBy } = memory;
  const { open: _open, via: _via, ...item } = toMemoryItem(memory);
  return {
    ...item,
    id,
    at: toIso(orderTime(memory)),
    conversationId,
    ...(memoryType !== 'episodic' && { memoryType }),
    ...(outcome !== null && { outcome }),
    ...(metadata !== null && { metadata }),
    ...(createdBy && { by: [createdBy.label, ...waysOf(createdBy)].join(', ') }),
  };
}
