import type { ConversationRecord, Fields, ImportRecord } from '../reader.ts';
import { isFields } from '../shared/fields.ts';

import { readTime } from '../shared/values.ts';

/** Version of the layout of `memoryd export --as markdown` that is read here. */
const layoutRead = 1;

/** Whether a file is one of `memoryd export --as markdown`. */
export const isOwnNote = ({ memoryd }: Fields) => typeof memoryd === 'number';

/** The external id, or one made of the id in the store that was exported. */
export const ownId = (id: unknown, externalId: unknown) =>
  typeof externalId === 'string' && externalId !== '' ? externalId : `memoryd:${String(id)}`;

/** Why an exported file cannot be read, or undefined. */
export function faultOf({ memoryd, id, type }: Fields): string | undefined {
  if (memoryd !== layoutRead) return `its layout ${String(memoryd)} is of another version of memoryd`;
  const hasId = type === 'Facts' || typeof id === 'string' || typeof id === 'number';
  return hasId ? undefined : 'it has no id';
}

const textOrNothing = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

export function ownConversation(fields: Fields): ConversationRecord {
  const { id, externalId, title, created, agentSessionId, summary, metadata } = fields;
  return {
    kind: 'conversation',
    isOwn: true,
    externalId: ownId(id, externalId),
    title: String(title ?? ''),
    createdAt: readTime(created),
    agentSessionId: textOrNothing(agentSessionId),
    summary: textOrNothing(summary),
    ...(isFields(metadata) && { metadata }),
  };
}

/** The conversation of a memory whose file is not there: titled by its link, without the digits that make that unique. */
export function conversationOfLink({ conversationId, conversation }: Fields): ConversationRecord {
  const title = String(conversation ?? '')
    .replace(/^\[\[|\]\]$/g, '')
    .replace(/ [0-9a-f]{12}$/, '');
  return { kind: 'conversation', isOwn: true, externalId: ownId(conversationId, undefined), title };
}

export interface OwnNote {
  readonly path: string;
  readonly fields: Fields;
  /** Text after the front matter. */
  readonly body: string;
}

const linkTypes = ['SUPERSEDES', 'FOLLOWS', 'RESOLVES', 'CONTRADICTS', 'REFERENCES', 'DUPLICATES'] as const;

const givenFields = [
  'name',
  'role',
  'memoryType',
  'context',
  'eventTime',
  'validFrom',
  'validTo',
  'taskId',
  'outcome',
  'importance',
  'codeContext',
  'metadata',
];

/**
 * The memory of a file, with its text as it was written, and its facts.
 * @param conversation external id of the conversation, declared before
 */
export function* ownMemory({ path, fields, body }: OwnNote, conversation: string): Generator<ImportRecord> {
  const externalId = ownId(fields.id, fields.externalId);
  const content = body.replace(/\r?\n$/, '');
  const given = givenFields.filter((name) => fields[name] !== undefined).map((name) => [name, fields[name]]);
  const topics = Array.isArray(fields.tags) ? fields.tags.map(String) : undefined;
  yield {
    kind: 'memory',
    isOwn: true,
    at: path,
    conversation,
    body: { content, externalId, topics, createdAt: readTime(fields.created), ...Object.fromEntries(given) },
  };
  yield* ownFacts({ path, fields, body }, externalId);
}

/** @param memory external id of the memory that says them; undefined: none does */
export function* ownFacts({ path, fields }: OwnNote, memory: string | undefined): Generator<ImportRecord> {
  const facts: readonly unknown[] = Array.isArray(fields.facts) ? fields.facts : [];
  for (const fact of facts.filter(isFields)) {
    const { id, externalId, subject, predicate, object, confidence } = fact;
    yield {
      kind: 'fact',
      at: path,
      memory,
      externalId: ownId(id, externalId),
      body: { subject, predicate, object, ...(confidence !== undefined && { confidence }) },
    };
  }
}

export interface OwnLink {
  readonly type: (typeof linkTypes)[number];
  /** Name of a file. */
  readonly target: string;
  readonly reason: string | undefined;
}

/** The links of a file, of the lists named after types. */
export function* ownLinks(fields: Fields): Generator<OwnLink> {
  const reasons = isFields(fields.reasons) ? fields.reasons : {};
  for (const type of linkTypes) {
    const name = type.toLowerCase();
    const links: readonly unknown[] = Array.isArray(fields[name]) ? fields[name] : [];
    for (const link of links) {
      const [, target] = /^\[\[([^[\]|#]+)/.exec(String(link)) ?? [];
      const reason = reasons[`${name} ${String(link)}`];
      if (target !== undefined)
        yield { type, target, reason: reason === undefined ? undefined : String(reason) };
    }
  }
}

/** The artifact of a file. @param memory external id of its memory */
export function ownArtifact({ path, fields, body }: OwnNote, memory: string | undefined): ImportRecord {
  const { id, externalId, artifactType, name, description, metadata } = fields;
  return {
    kind: 'artifact',
    at: path,
    memory,
    externalId: ownId(id, externalId),
    body: { content: body.replace(/\r?\n$/, ''), type: artifactType ?? 'file', name, description, metadata },
  };
}
