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
import { toIso, windowPattern, windowRule } from '../domain/shared/time.ts';
import { looksSecret, secretStored } from '../lib/hide-secrets.ts';

/** Arguments that several tools share. */
export const idField = (description: string) =>
  Type.String({ minLength: 1, maxLength: batchIdLengthMax, description });

export const contentField = (description: string) =>
  Type.String({ minLength: 1, maxLength: contentLengthMax, description });

export const nameField = (description: string) =>
  Type.String({ pattern: namePattern, rule: nameRule, description });

export const topicsField = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: topicLengthMax }), { maxItems: topicsMax, description });

/**
 * The format without the pattern: that of dates has 230 tokens,
 * and `parseTime` refuses invalid times with field and rule.
 */
export const timeField = (description: string) =>
  Type.String({ maxLength: 64, format: 'date-time', description });

export const windowField = (description: string) =>
  Type.String({ pattern: windowPattern, rule: windowRule, description });

export const choiceField = <const V extends readonly string[]>(
  values: V,
  description: string,
  byDefault?: V[number],
) =>
  Type.Unsafe<V[number]>({
    type: 'string',
    enum: [...values],
    ...(byDefault !== undefined && { default: byDefault }),
    description,
  });

export const queryField = (description: string) =>
  Type.String({ minLength: 1, maxLength: 32_768, description });

export const limitField = (byDefault: number, maximum: number, what: string) =>
  Type.Integer({ minimum: 1, maximum, default: byDefault, description: `Most ${what} to answer.` });

export const offsetField = Type.Integer({
  minimum: 0,
  maximum: 1_000_000,
  default: 0,
  description: 'Items to skip: the nextOffset of the answer before.',
});

/** Any JSON object. */
function jsonObjectField(description: string) {
  return Type.Unsafe<Readonly<Record<string, unknown>>>({
    type: 'object',
    additionalProperties: true,
    description,
  });
}

export const metadataField = jsonObjectField('Any JSON object to keep with it, at most 16 KiB.');

export const warningField = {
  warning: Type.Optional(
    Type.String({ description: 'The text was stored, and looks like it has a secret.' }),
  ),
};

/** A warning if the text seems to contain a key or a password. */
export function secretWarning(content: string | undefined): { readonly warning?: string } {
  return content !== undefined && looksSecret(content) ? { warning: secretStored } : {};
}

/** A memory for agents, with the fields that a next step needs. */
export const MemoryItemSchema = Type.Object({
  id: Type.String(),
  content: Type.String(),
  truncated: Type.Optional(
    Type.Boolean({ description: 'True where the content was cut to fit; `get` has the whole.' }),
  ),
  at: Type.String({ description: 'When it happened, else when it was written.' }),
  conversationId: Type.String(),
  name: Type.Optional(Type.String()),
  version: Type.Optional(Type.Integer()),
  topics: Type.Optional(Type.Array(Type.String())),
  memoryType: Type.Optional(choiceField(memoryTypes, 'Absent: episodic.')),
  state: Type.Optional(choiceField(effectiveStates, 'Absent: current. Do not rely on one that is not.')),
  outcome: Type.Optional(choiceField(outcomes, 'Whether what it tells of was resolved.')),
  metadata: Type.Optional(jsonObjectField('Answered by `get` of one memory.')),
  score: Type.Optional(Type.Number({ description: 'Comparable within one answer only.' })),
  relevance: Type.Optional(Type.Number({ description: '0 to 1; 0.5: correct half of the time.' })),
});
export type MemoryItem = Static<typeof MemoryItemSchema>;

export function toMemoryItem(memory: Memory, score?: number | null, relevance?: number | null): MemoryItem {
  const { effectiveState, memoryType } = memory;
  return {
    id: memory.id,
    content: memory.content,
    at: toIso(orderTime(memory)),
    conversationId: memory.conversationId,
    ...(memory.name !== null && { name: memory.name }),
    ...(memory.chainVersion !== null && { version: memory.chainVersion }),
    ...(memory.topics.length > 0 && { topics: [...memory.topics] }),
    ...(memoryType !== 'episodic' && { memoryType }),
    ...(effectiveState !== 'current' && { state: effectiveState }),
    ...(memory.outcome !== null && { outcome: memory.outcome }),
    ...(typeof score === 'number' && { score: Math.round(score * 1000) / 1000 }),
    ...(typeof relevance === 'number' && { relevance }),
  };
}
