/** What a person typed into the bar, read: words to search for, and filters. */
export interface ReadQuery {
  readonly text: string;
  readonly filters: Filters;
}

/** Filters that the bar and the URL know; each value as the API takes it. */
interface Filters {
  readonly topic?: string;
  readonly who?: string;
  readonly after?: string;
  readonly before?: string;
  readonly is?: string;
  readonly conversation?: string;
  readonly type?: string;
  /** Id of one. */
  readonly entity?: string;
  readonly role?: string;
  /** Id of a key. */
  readonly by?: string;
  /** The door: http, mcp, import or hook. */
  readonly via?: string;
  /** The program. */
  readonly agent?: string;
  /** The MCP tool. */
  readonly tool?: string;
}

export const filterNames = [
  'topic',
  'who',
  'after',
  'before',
  'is',
  'conversation',
  'type',
  'entity',
  'role',
  'by',
  'via',
  'agent',
  'tool',
] as const;
type FilterName = (typeof filterNames)[number];

const isFilter = (name: string): name is FilterName => filterNames.includes(name as FilterName);
const token = /(?:([a-z]+):)?(?:"([^"]*)"|(\S+))/g;

/** `topic:"night train" after:2026-01-01 lease` */
export function readQuery(input: string): ReadQuery {
  const filters: { -readonly [N in FilterName]?: string } = {};
  const text: string[] = [];
  for (const [whole, name, inQuotes, plain] of input.matchAll(token)) {
    const value = inQuotes ?? plain ?? '';
    if (name !== undefined && isFilter(name) && value !== '') filters[name] = value;
    else text.push(whole);
  }
  return { text: text.join(' '), filters };
}

/** The text that reads as this query. */
export function writeQuery({ text, filters }: ReadQuery): string {
  const written = filterNames.flatMap((name) => {
    const value = filters[name];
    return value === undefined ? [] : [`${name}:${/\s/.test(value) ? `"${value}"` : value}`];
  });
  return [...written, text].filter((part) => part !== '').join(' ');
}

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
/** The beginning of an id: at least six digits, with one that is no letter and one that is no number. */
const prefix = /^(?=[\da-f]*\d)(?=[\da-f]*[a-f])[\da-f]{6,12}$/i;

/** The id, or its beginning, if that is what was typed. */
export function idIn(input: string): string | undefined {
  const typed = input.trim();
  return uuid.test(typed) || prefix.test(typed) ? typed : undefined;
}

/** Parameters of `GET /api/memories/search`. */
export function toSearch({ text, filters }: ReadQuery): Record<string, string | undefined> {
  const { topic, after, before, is, conversation, type, entity, role, by, via, agent, tool } = filters;
  return {
    q: text === '' ? undefined : text,
    topics: topic,
    eventTimeFrom: after,
    eventTimeTo: before,
    conversationId: conversation,
    memoryType: type,
    entityId: entity,
    role,
    createdBy: by,
    via,
    agent,
    tool,
    effectiveState: is,
    temporalMode: is === undefined || is === 'current' ? undefined : 'historical',
  };
}
