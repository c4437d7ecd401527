import { type Static, Type } from 'typebox';
import { effectiveStates, type Memory, memoryTypes, orderTime, outcomes } from '../domain/memories/memory.ts';
import { toIso } from '../domain/shared/time.ts';
import { looksSecret, secretStored } from '../lib/hide-secrets.ts';
import { choiceField, jsonObjectField } from './fields.ts';

export const warningField = {
  warning: Type.Optional(
    Type.String({ description: 'The text was stored, and looks like it has a secret.' }),
  ),
};

/** A warning if the text seems to contain a key or a password. */
export function secretWarning(content: string | undefined): { readonly warning?: string } {
  return content !== undefined && looksSecret(content) ? { warning: secretStored } : {};
}

/** A memory as agents see it, with the fields that a next step needs. */
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
  relevance: Type.Optional(Type.Number({ description: '0 to 1; 0.5: as often right as not.' })),
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
