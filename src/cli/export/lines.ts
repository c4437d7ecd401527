import { toIso } from '../../domain/shared/time.ts';
import { version } from '../../lib/version.ts';
import { conversationFieldsOf, layoutVersion, statedFieldsOf } from './record-fields.ts';
import type { Link, StatedFact, UserRecord } from './user-records.ts';

/** The first line: by it `memoryd import` knows the file. */
export const headLine = (at: number) => ({
  kind: 'export',
  layout: 'memoryd-lines',
  version: layoutVersion,
  memoryd: version,
  at: toIso(at),
});

const linkFields = ({ type, target: { id, externalId }, reason }: Link) => ({
  type,
  to: id,
  ...(externalId !== null && { toExternalId: externalId }),
  ...(reason !== null && { reason }),
});

const factFields = ({ id, externalId, subject, predicate, object, confidence }: StatedFact) => ({
  id,
  ...(externalId !== null && { externalId }),
  subject,
  predicate,
  object,
  confidence,
});

/** A record as one object, its times in ISO 8601. */
export function lineOf(record: UserRecord): object {
  if (record.kind === 'conversation') {
    const { conversation } = record;
    const createdAt = toIso(conversation.createdAt);
    return { kind: 'conversation', ...conversationFieldsOf(conversation), createdAt };
  }
  if (record.kind === 'memory') {
    const { memory, links, facts } = record;
    const { id, conversationId, content, topics, createdAt, updatedAt, effectiveState } = memory;
    return {
      kind: 'memory',
      id,
      conversationId,
      content,
      topics,
      ...statedFieldsOf(memory),
      createdAt: toIso(createdAt),
      updatedAt: toIso(updatedAt),
      effectiveState,
      ...(links.length > 0 && { relationships: links.map(linkFields) }),
      ...(facts.length > 0 && { facts: facts.map(factFields) }),
    };
  }
  if (record.kind === 'fact') {
    return { kind: 'fact', ...factFields(record.fact), createdAt: toIso(record.fact.createdAt) };
  }
  const { artifact } = record;
  const stated = Object.entries(artifact).filter(([, value]) => value !== null);
  return {
    kind: 'artifact',
    ...Object.fromEntries(stated),
    memoryExternalId: record.memory?.externalId ?? undefined,
    createdAt: toIso(artifact.createdAt),
    updatedAt: toIso(artifact.updatedAt),
  };
}
