/*
 * How a record of an import becomes a memory. The explorer runs this in the browser too, so it must use nothing of Node.
 */

import { readTime, topicsFrom } from './readers/shared/values.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** A memory to create. */
export interface Statement {
  /** Title of the conversation to create or append to; undefined: by the body, or else by the server. */
  readonly conversation: string | undefined;
  /** Body of `POST /api/memories`, without the conversation that `conversation` names. */
  readonly body: Fields;
}

/** Why a record is not sent. */
export interface RefusedRecord {
  readonly rule: 'sessionStart' | 'conversation' | 'twoConversations' | 'hasState';
  /** A value of the record. */
  readonly detail?: string;
}

/** Fields of an export that the service sets on a new memory. */
const givenByService: ReadonlySet<string> = new Set([
  'id',
  'version',
  'memoryTypeUserSet',
  'timestamp',
  'createdBy',
  'updatedAt',
]);

/** Whether a field of an export is not sent. */
export const isLeftOut = (name: string) => givenByService.has(name) || name === 'effectiveState';

/** Names that other tools write, by the field here; the name here counts before them. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  content: ['text', 'memory', 'body'],
  createdAt: ['created_at', 'timestamp'],
  eventTime: ['date'],
  topics: ['tags', 'categories'],
  externalId: ['id'],
  role: ['who', 'author', 'speaker'],
};

const otherRoles: Readonly<Record<string, string>> = {
  user: 'user',
  human: 'user',
  assistant: 'assistant',
  ai: 'assistant',
  bot: 'assistant',
  model: 'assistant',
};

/** The origin of a record. */
export interface RecordSource {
  /** Of the file, without folder and extension: numbers are no ids but in their file. */
  readonly file: string;
  /** Beginning of external ids, such as `csv`. */
  readonly format: string;
}

/**
 * The value of another name as it is here; undefined: it is none.
 * @param name of the field here
 */
function ownValueOf(name: string, value: unknown, { file, format }: RecordSource): unknown {
  if (name === 'createdAt' || name === 'eventTime') return readTime(value);
  if (name === 'topics') return topicsFrom(value);
  if (name === 'role') return typeof value === 'string' ? otherRoles[value.toLowerCase()] : undefined;
  if (name === 'content') return typeof value === 'string' ? value : undefined;
  if ((typeof value !== 'string' && typeof value !== 'number') || value === '') return undefined;
  return /^\d{1,12}$/.test(String(value)) ? `${format}:${file}:${value}` : `${format}:${value}`;
}

/** The record with the names of this service; `understood` is told of each name that was another one. */
export function withOwnNames(
  record: Fields,
  source: RecordSource,
  understood: (name: string, own: string, value: unknown) => void = () => undefined,
): Fields {
  const own: Record<string, unknown> = { ...record };
  for (const [field, names] of Object.entries(otherNames)) {
    if ((own[field] ?? '') !== '') continue;
    const name = names.find((each) => (record[each] ?? '') !== '');
    if (name === undefined) continue;
    const value = ownValueOf(field, record[name], source);
    understood(name, field, value);
    if (value === undefined) continue;
    delete own[name];
    own[field] = value;
  }
  return own;
}

/** The memory of a line of JSON Lines. */
export function statementOfLine(record: Fields, source: RecordSource): Statement | RefusedRecord {
  const { conversation = null, sessionStart = null, ...fields } = withOwnNames(record, source);
  if (sessionStart !== null && typeof sessionStart !== 'string') return { rule: 'sessionStart' };
  if (conversation !== null && typeof conversation !== 'string') return { rule: 'conversation' };
  if (conversation !== null && (fields.conversationId ?? null) !== null) return { rule: 'twoConversations' };
  const eventTime = fields.eventTime ?? sessionStart;
  return {
    conversation: conversation ?? undefined,
    body: eventTime === null ? fields : { ...fields, eventTime },
  };
}

/** The memory of an element of `POST /api/memories/export`. */
function statementOfExport(record: Fields): Statement | RefusedRecord {
  const { conversationId, effectiveState = 'current', ...rest } = record;
  // A new memory would be current, since its relationships are not in the file.
  if (effectiveState === 'superseded' || effectiveState === 'contradicted')
    return { rule: 'hasState', detail: effectiveState };
  const stated = Object.entries(rest).filter(([name, value]) => value !== null && !givenByService.has(name));
  return {
    conversation: typeof conversationId === 'string' ? `Import of ${conversationId}` : undefined,
    body: Object.fromEntries(stated),
  };
}

/** The memory of an element of a list: an export of this service, or records of another tool. */
export function statementOfElement(record: Fields, source: RecordSource): Statement | RefusedRecord {
  const isExported = 'memoryType' in record || 'version' in record || 'effectiveState' in record;
  return isExported ? statementOfExport(record) : statementOfLine(record, source);
}

/** Records among which equal ones are told apart. */
const rememberedMax = 100_000;

/**
 * Gives records without an `externalId` one that a later import of the same record finds: a hash of the record and,
 * for its second and further occurrence, their number. Equal records that are more than 100,000 others apart count
 * as one.
 */
export class ExternalIds {
  readonly #hashOf: (text: string) => string;
  readonly #seen = new Map<string, number>();

  /** @param hashOf SHA-256 in base64url */
  constructor(hashOf: (text: string) => string) {
    this.#hashOf = hashOf;
  }

  /** The body with its id. */
  withId({ conversation, body }: Statement): Fields {
    if ((body.externalId ?? '') !== '') return body;
    const digest = this.#hashOf(JSON.stringify([conversation ?? null, body]));
    const times = (this.#seen.get(digest) ?? 0) + 1;
    // The last one of the map is the one that was seen last.
    this.#seen.delete(digest);
    this.#seen.set(digest, times);
    if (this.#seen.size > rememberedMax) this.#seen.delete(this.#seen.keys().next().value ?? '');
    return { ...body, externalId: `import:${digest}${times === 1 ? '' : `#${times}`}` };
  }
}
