import type { Conversation } from '../../domain/conversations/conversation.ts';
import type { Memory } from '../../domain/memories/memory.ts';
import { type EpochMs, toIso } from '../../domain/shared/time.ts';
import type { StatedFact } from './user-records.ts';

/** Version of the layout of files and lines; `memoryd import` knows them by it. */
export const layoutVersion = 1;

const optionalIso = (time: EpochMs | null) => (time === null ? undefined : toIso(time));

/** The stated fields of a memory but its text, topics and conversation; undefined: not stated. */
export function statedFieldsOf(memory: Memory) {
  return {
    externalId: memory.externalId ?? undefined,
    name: memory.name ?? undefined,
    version: memory.chainVersion ?? undefined,
    role: memory.role ?? undefined,
    memoryType: memory.memoryTypeUserSet ? memory.memoryType : undefined,
    context: memory.context ?? undefined,
    eventTime: optionalIso(memory.eventTime),
    validFrom: optionalIso(memory.validFrom),
    validTo: optionalIso(memory.validTo),
    taskId: memory.taskId ?? undefined,
    outcome: memory.outcome ?? undefined,
    importance: memory.importance ?? undefined,
    codeContext: memory.codeContext ?? undefined,
    metadata: memory.metadata ?? undefined,
  };
}

export function conversationFieldsOf(conversation: Conversation) {
  const { id, title, externalId, summary, agentSessionId, metadata } = conversation;
  return {
    id,
    title,
    externalId: externalId ?? undefined,
    summary: summary ?? undefined,
    agentSessionId: agentSessionId ?? undefined,
    metadata: metadata ?? undefined,
  };
}

/** All fields but the confidence, which Markdown leaves out if it is 1. */
export const factFieldsOf = ({ id, externalId, subject, predicate, object }: StatedFact) => ({
  id,
  ...(externalId !== null && { externalId }),
  subject,
  predicate,
  object,
});
