import { type Layout, type Piece, piecesOf } from './pieces.ts';
import { sha256 } from './sha256.ts';

/** Why a line or element is not sent; its words are `words().import.rules`. */
type Rule =
  | 'tooLong'
  | 'notUtf8'
  | 'notJson'
  | 'notObject'
  | 'sessionStart'
  | 'conversation'
  | 'twoConversations'
  | 'hasState'
  | 'listCut'
  | 'afterList';

export interface Refusal {
  readonly rule: Rule;
  /** In the browser's words, or a value from the file. */
  readonly detail?: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** A memory to create. */
export interface Statement {
  /** Title of the conversation to create or append to. */
  readonly conversation: string | undefined;
  /** Body of `POST /api/memories` with an `externalId`, without the conversation that `conversation` names. */
  readonly body: Fields;
  /** As it is in the file. */
  readonly given: Fields;
}

export interface Item {
  /** Of its line, or its place in the list, from 1. */
  readonly number: number;
  /** Bytes of the file up to its end. */
  readonly end: number;
  readonly content: Statement | { readonly refusal: Refusal };
}

/** Fields of an export that the service sets on a new memory. */
const givenByService: ReadonlySet<string> = new Set([
  'id',
  'version',
  'memoryTypeUserSet',
  'timestamp',
  'updatedAt',
]);

/** Whether the field is left out of what is sent. */
export const isLeftOut = (layout: Layout, name: string) =>
  layout === 'list' && (givenByService.has(name) || name === 'effectiveState');

/** The memories of a file from its beginning, read as they are asked for. */
export async function* itemsOf(file: Blob, layout: 'lines' | 'list'): AsyncGenerator<Item> {
  const ids = new ExternalIds();
  for await (const piece of piecesOf(file, layout)) {
    const content = contentOf(piece, layout, ids);
    if (content !== undefined) yield { number: piece.number, end: piece.end, content };
  }
}

const refuse = (rule: Rule, detail?: string): Item['content'] => ({ refusal: { rule, detail } });

/** Undefined for an empty line. */
function contentOf({ bytes, fault }: Piece, layout: Layout, ids: ExternalIds): Item['content'] | undefined {
  if (fault !== undefined) return refuse(fault);
  if (bytes === undefined) return refuse('tooLong');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return refuse('notUtf8');
  }
  if (text.trim() === '' && layout === 'lines') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return refuse('notObject');
    const made = layout === 'list' ? ofExport(value as Fields) : ofLine(value as Fields);
    return 'refusal' in made ? made : ids.withId(made);
  } catch (error) {
    // Also too deep to be written again. Chrome adds a place, which would be read as one in the file.
    return refuse('notJson', (error as Error).message.replace(/ \(line \d+ column \d+\)$/, ''));
  }
}

function ofLine(given: Fields): Item['content'] {
  const { conversation = null, sessionStart = null, ...fields } = given;
  if (sessionStart !== null && typeof sessionStart !== 'string') return refuse('sessionStart');
  if (conversation !== null && typeof conversation !== 'string') return refuse('conversation');
  if (conversation !== null && (fields.conversationId ?? null) !== null) return refuse('twoConversations');
  const eventTime = fields.eventTime ?? sessionStart;
  return {
    conversation: conversation ?? undefined,
    body: eventTime === null ? fields : { ...fields, eventTime },
    given,
  };
}

function ofExport(given: Fields): Item['content'] {
  const { conversationId, effectiveState = 'current', ...rest } = given;
  // A new memory would be current, since its relationships are not in the file.
  if (effectiveState === 'superseded' || effectiveState === 'contradicted')
    return refuse('hasState', effectiveState);
  const stated = Object.entries(rest).filter(([name, value]) => value !== null && !givenByService.has(name));
  return {
    conversation: typeof conversationId === 'string' ? `Import of ${conversationId}` : undefined,
    body: Object.fromEntries(stated),
    given,
  };
}

/** Records among which equal ones are told apart, as the command does. */
const rememberedMax = 100_000;

/** Gives each record the id by which a repetition of the import, here or by `memoryd import`, finds it. */
class ExternalIds {
  readonly #seen = new Map<string, number>();

  withId(statement: Statement): Statement {
    const { conversation, body } = statement;
    const { externalId = null } = body;
    if (externalId !== null && externalId !== '') return statement;
    const digest = sha256(JSON.stringify([conversation ?? null, body]));
    const times = (this.#seen.get(digest) ?? 0) + 1;
    this.#seen.delete(digest);
    this.#seen.set(digest, times);
    if (this.#seen.size > rememberedMax) this.#seen.delete(this.#seen.keys().next().value ?? '');
    return {
      ...statement,
      body: { ...body, externalId: `import:${digest}${times === 1 ? '' : `#${times}`}` },
    };
  }
}
