/*
 * How a record of an import becomes a memory. The explorer has it in the browser, too: it uses nothing of Node.
 */

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
  'updatedAt',
]);

/** Whether a field of an export is not sent. */
export const isLeftOut = (name: string) => givenByService.has(name) || name === 'effectiveState';

/** The memory of a line of JSON Lines. */
export function statementOfLine(line: Fields): Statement | RefusedRecord {
  const { conversation = null, sessionStart = null, ...fields } = line;
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
export function statementOfExport(record: Fields): Statement | RefusedRecord {
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
