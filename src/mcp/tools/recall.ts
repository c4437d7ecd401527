import { type Static, type TSchema, Type } from 'typebox';
import { maxSourcesDefault } from '../../briefing/digest/digest.ts';
import { toJson } from '../../briefing/text/fence.ts';
import { itemsWithin, loadTokenCounter } from '../../briefing/text/tokens.ts';
import type { Conversation } from '../../domain/conversations/conversation.ts';
import { invalidInput } from '../../domain/shared/errors.ts';
import { HOUR_MS } from '../../domain/shared/time.ts';
import { type SearchHit, searchDefaults } from '../../search/request.ts';
import { cutMemory, fitList, fitMemories, tokensOf } from '../budget.ts';
import { choiceField, MemoryItemSchema, queryField, shortId, toMemoryItem, topicsField } from '../fields.ts';
import { aboutSearch, foundFields, toHitItem, worthReading } from '../hits.ts';
import { budgetField, defineTool, strictObject, type ToolContext, tokensMin } from '../tool.ts';
import { toConversationItem } from './conversations.ts';

const relevantMax = 10;
const openMax = 5;
const recentMax = 5;
const recentHoursDefault = 72;
const conversationsMax = 3;
/** Maximum tokens of a recent memory, which may have nothing to do with the task. */
const recentItemTokens = 200;
/** Shares of the budget for recent memories and for conversations; the rest is for matches of the task. */
const recentShare = 0.25;
const activeShare = 0.15;

const RecallInput = strictObject({
  task: Type.Optional(queryField('What you are about to do.')),
  query: Type.Optional(queryField('Another name of `task`.')),
  topics: Type.Optional(topicsField('With any of these.')),
  recentHours: Type.Integer({
    minimum: 0,
    maximum: 8760,
    default: recentHoursDefault,
    description: 'Adds what was written so lately; 0: nothing.',
  }),
  as: choiceField(
    ['memories', 'digest'],
    'digest: one text of their sentences, each with its source.',
    'memories',
  ),
  ...budgetField,
});

const ActivitySchema = Type.Object({
  id: Type.String(),
  title: Type.String(),
  lastActivityAt: Type.String(),
});

const optionalList = <S extends TSchema>(items: S, description: string) =>
  Type.Optional(Type.Array(items, { description }));

export const RecalledSchema = Type.Object({
  relevant: optionalList(MemoryItemSchema, 'What is known about the task, best first.'),
  open: optionalList(MemoryItemSchema, 'What else about the task is not done.'),
  recent: optionalList(MemoryItemSchema, 'What else was written lately, newest first.'),
  rules: optionalList(
    Type.String(),
    'Rules and preferences of the user that apply to the task: follow them.',
  ),
  conversations: optionalList(ActivitySchema, 'Where work went on last.'),
  omitted: Type.Optional(
    Type.Integer({ description: 'Memories, or ids of sources, that did not fit into maxTokens.' }),
  ),
  ...foundFields,
  digest: Type.Optional(
    Type.String({ description: 'With as=digest: markdown; [3] is the number of a source.' }),
  ),
  truncated: Type.Optional(Type.Boolean({ description: 'The digest was cut to fit into maxTokens.' })),
  sources: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      description: 'With as=digest: ids of the memories that the text names, by their numbers.',
    }),
  ),
});

type RecallRequest = Partial<Static<typeof RecallInput>>;

async function found({ services, user }: ToolContext, { task, query = task, topics }: RecallRequest) {
  if (query === undefined) return undefined;
  return services.search.search(user, {
    ...searchDefaults,
    query,
    limit: relevantMax,
    filter: { topics: someOf(topics), includeSuperseded: false },
  });
}

/** Unresolved memories about the task that are not among those shown already. */
async function openEnds(
  { services, user }: ToolContext,
  { task, query = task, topics }: RecallRequest,
  shown: ReadonlySet<string>,
): Promise<readonly SearchHit[]> {
  if (query === undefined) return [];
  const search = await services.search.search(user, {
    ...searchDefaults,
    query,
    limit: relevantMax,
    filter: { topics: someOf(topics), outcome: 'unresolved', includeSuperseded: false },
  });
  return worthReading(search)
    .filter(({ memory }) => !shown.has(memory.id))
    .slice(0, openMax);
}

const someOf = (topics: readonly string[] | undefined) => (topics && topics.length > 0 ? topics : undefined);

async function written(
  { services, user }: ToolContext,
  { topics, recentHours = recentHoursDefault }: RecallRequest,
) {
  if (recentHours === 0) return [];
  const page = await services.search.browse(user, {
    limit: recentMax,
    offset: 0,
    sortBy: 'createdAt',
    order: 'desc',
    filter: {
      createdFrom: services.clock.now() - recentHours * HOUR_MS,
      topics: someOf(topics),
      includeSuperseded: false,
    },
  });
  return page.items;
}

function toActivity(conversation: Conversation) {
  const { id, title, lastActivityAt } = toConversationItem(conversation, tokensMin);
  return { id, title, lastActivityAt };
}

const rulesMax = 5;
/** Share of the budget for rules. */
const rulesShare = 0.15;
const ruleConfidenceMin = 0.4;

async function rulesFor(
  { services, user }: ToolContext,
  { task, query = task, maxTokens }: RecallRequest & { readonly maxTokens: number },
): Promise<string[]> {
  if (query === undefined) return [];
  const { instructions } = await services.briefing.instructions(user, {
    currentQuery: query,
    conversationContext: [],
    tokenBudget: Math.floor(maxTokens * rulesShare),
    minConfidence: ruleConfidenceMin,
    maxInstructions: rulesMax,
  });
  return instructions.map(({ text }) => text);
}

/** Context for a task, within the budget: matches, recent memories, and recent conversations. */
export async function recall(context: ToolContext, request: RecallRequest & { readonly maxTokens: number }) {
  const { services, user } = context;
  const search = await found(context, request);
  const hits = search ? worthReading(search) : [];
  const relevantIds = new Set(hits.map(({ memory }) => memory.id));
  const open = await openEnds(context, request, relevantIds);
  for (const { memory } of open) relevantIds.add(memory.id);
  const others = (await written(context, request)).filter(({ id }) => !relevantIds.has(id));
  const active = await services.conversations.list(user, {
    limit: conversationsMax,
    offset: 0,
    sortBy: 'lastActivityAt',
    order: 'desc',
  });
  const about = search ? aboutSearch(search, hits.length) : {};
  const rules = await rulesFor(context, request);
  const maxTokens = request.maxTokens - tokensOf(about) - (rules.length > 0 ? tokensOf(rules) : 0);
  const latestShare = (others.length > 0 ? recentShare : 0) + (active.items.length > 0 ? activeShare : 0);
  const relevantTokens = Math.max(tokensMin - tokensOf(about), maxTokens * (1 - latestShare));
  const relevant = fitMemories(hits.map(toHitItem), relevantTokens);
  const openItems = fitMemories(open.map(toHitItem), maxTokens - tokensOf(relevant.items));
  const left = maxTokens - tokensOf(relevant.items) - tokensOf(openItems.items);
  const latest = others.map((memory) => cutMemory(toMemoryItem(memory), recentItemTokens));
  const recent = fitMemories(latest, left - maxTokens * activeShare);
  const conversations = fitList(active.items.map(toActivity), left - tokensOf(recent.items));
  const omitted = relevant.omitted + openItems.omitted + recent.omitted;
  return {
    ...(rules.length > 0 && { rules }),
    ...(search && { relevant: relevant.items, ...about }),
    ...(openItems.items.length > 0 && { open: openItems.items }),
    ...(recent.items.length > 0 && { recent: recent.items }),
    ...(conversations.items.length > 0 && { conversations: conversations.items }),
    ...(omitted > 0 && { omitted }),
  };
}

/** The knowledge about a task in one text, within the budget. */
async function recallDigest(
  context: ToolContext,
  { task, query = task ?? '', topics, maxTokens }: Static<typeof RecallInput>,
) {
  if (query.trim() === '') throw invalidInput('task', 'must not be blank');
  return digestFor(context, { query, topics: someOf(topics), maxTokens });
}

export const recallTool = defineTool({
  name: 'recall',
  title: 'Context for a task',
  description:
    'Call it first when work begins or the subject changes: what is known about the task, what was written lately, where work went on. ' +
    'For one question use `search`, with files to touch `build_context`.',
  scope: 'read',
  input: RecallInput,
  output: RecalledSchema,
  run: async (context, request) => {
    if (request.task === undefined && request.query === undefined)
      throw invalidInput('task', 'is required: say what you are about to do');
    if (request.as === 'digest') return recallDigest(context, request);
    return recall(context, request);
  },
});

/** Share of the budget for the text; the rest is for the ids of its sources and for line ends and quotes in JSON. */
const textShare = 0.7;
const envelopeTokens = 60;
const queryLengthMax = 2000;

/** A digest with the ids behind its numbers; as JSON at most `maxTokens` tokens of o200k. */
async function digestFor(
  { services, user }: ToolContext,
  { query, topics, maxTokens }: { query: string; topics?: readonly string[]; maxTokens: number },
) {
  const countTokens = await loadTokenCounter();
  const room = maxTokens - envelopeTokens;
  const { text, sources } = await services.briefing.digest(user, {
    query: query.slice(0, queryLengthMax),
    format: 'structured',
    maxSources: maxSourcesDefault,
    topics,
    tokenBudget: Math.floor(room * textShare),
    listsIds: false,
  });
  if (sources.length === 0) return { digest: 'Nothing was found.' };
  const named = new Set([...text.matchAll(/\[(\d+)\]/g)].map(([, number]) => Number(number)));
  const all = sources.flatMap(({ number, memory }) =>
    named.has(number) ? [{ number, id: shortId(memory.id) }] : [],
  );
  const exactTokensOf = (value: unknown) => countTokens(toJson(value));
  let digest = text;
  while (digest !== '' && exactTokensOf(digest) > room)
    digest = digest.slice(0, Math.floor(digest.length * 0.9));
  const listed = await itemsWithin(all, { max: room - exactTokensOf(digest), countTokens });
  const omitted = all.length - listed.length;
  return {
    digest: digest.replace(/[\ud800-\udbff]$/, ''),
    ...(digest !== text && { truncated: true }),
    sources: Object.fromEntries(listed.map(({ number, id }) => [number, id])),
    ...(omitted > 0 && { omitted }),
  };
}
