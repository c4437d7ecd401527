import { Type } from 'typebox';
import type { Memory } from '../../domain/memories/memory.ts';
import type { Relationship } from '../../domain/relationships/relationship.ts';
import { invalidInput } from '../../domain/shared/errors.ts';
import {
  cutMemory,
  envelopeTokens,
  fitList,
  fitMemories,
  listFields,
  pageCounts,
  tokensOf,
} from '../budget.ts';
import { idField, limitField, MemoryItemSchema, nameField, offsetField, toMemoryItem } from '../fields.ts';
import { findMemory, memoryIdsOf } from '../memory-reference.ts';
import { budgetField, defineTool, strictObject, type ToolContext } from '../tool.ts';

const idsMax = 50;
const relationsMax = 30;
/** Maximum share of the budget for links, facts and unknown ids. */
const linksShare = 0.2;
const notFoundShare = 0.4;

const RelationSchema = Type.Object({
  type: Type.String({ description: 'Read as: this memory TYPE the other (outgoing), or the reverse.' }),
  direction: Type.String(),
  id: Type.String({ description: 'Of the other memory.' }),
});
const FactSchema = Type.Object({ subject: Type.String(), predicate: Type.String(), object: Type.String() });

function toRelation({ type, sourceMemoryId, targetMemoryId }: Relationship, memoryId: string) {
  const isOutgoing = sourceMemoryId === memoryId;
  return {
    type,
    direction: isOutgoing ? 'outgoing' : 'incoming',
    id: isOutgoing ? targetMemoryId : sourceMemoryId,
  };
}

/** The first of `items` that take at most `maxTokens` together. */
function within<T>(items: readonly T[], maxTokens: number): T[] {
  let left = maxTokens;
  return items.filter((item) => {
    left -= tokensOf(item) + 1;
    return left >= 0;
  });
}

interface Whole {
  readonly memory: Memory;
  readonly from: number;
  readonly maxTokens: number;
}

/** One memory with its links and facts. */
async function detailed({ services, user }: ToolContext, { memory, from, maxTokens }: Whole) {
  const { relationships, facts } = services.stores.forUser(user);
  const edges = await relationships.listOf(memory.id, 'both', relationsMax);
  const factsOfMemory = (await facts.listByVersions([memory])).get(memory.doc)?.shown ?? [];
  const room = maxTokens * linksShare;
  const relations = within(
    edges.map((edge) => toRelation(edge, memory.id)),
    room,
  );
  const stated = within(
    factsOfMemory.map(({ subject, predicate, object }) => ({ subject, predicate, object })),
    room,
  );
  const { metadata } = memory;
  const shown = metadata === null ? {} : { metadata };
  const whole = { ...toMemoryItem(memory), ...shown, content: memory.content.slice(from) };
  const left = maxTokens - tokensOf(relations) - tokensOf(stated) - envelopeTokens;
  const item = cutMemory(whole, left);
  const isCut = item.content !== whole.content;
  return {
    memories: [item],
    omitted: edges.length - relations.length + factsOfMemory.length - stated.length,
    ...(isCut && { nextFrom: from + item.content.length - 1 }),
    ...(relations.length > 0 && { relations }),
    ...(stated.length > 0 && { facts: stated }),
  };
}

async function several(context: ToolContext, given: readonly string[], maxTokens: number) {
  const { services, user } = context;
  const { ids, ambiguous } = await memoryIdsOf(context, given);
  const found = await services.memories.findMany(user, ids);
  const known = new Set(found.map(({ id }) => id));
  const notFound = [...ids.filter((id) => !known.has(id)), ...ambiguous.map(({ error }) => error)];
  const missing = fitList(notFound, maxTokens * notFoundShare);
  const items = found.map((memory) => toMemoryItem(memory));
  const fitted = fitMemories(items, maxTokens - tokensOf(missing.items));
  return {
    memories: fitted.items,
    omitted: fitted.omitted + missing.omitted,
    ...(notFound.length > 0 && { notFound: missing.items }),
  };
}

export const getTool = defineTool({
  name: 'get',
  title: 'Read memories whole',
  description:
    'Read memories by id (one or several) or one by its name: the whole text, facts drawn from it, and its links to other memories. ' +
    'Call it when a search shows a cut text, or when you know the name. Use `search` when you have no id.',
  scope: 'read',
  input: strictObject({
    id: Type.Optional(idField('Id of a memory.')),
    ids: Type.Optional(
      Type.Array(idField('Id of a memory.'), {
        minItems: 1,
        maxItems: idsMax,
        description: 'Several at once.',
      }),
    ),
    name: Type.Optional(nameField('Name of a memory: its newest version is answered.')),
    from: Type.Integer({
      minimum: 0,
      maximum: 50_000,
      default: 0,
      description: 'First character of the content to answer, to read on in a long memory: `nextFrom`.',
    }),
    ...budgetField,
  }),
  output: Type.Object({
    memories: Type.Array(MemoryItemSchema),
    notFound: Type.Optional(
      Type.Array(Type.String(), { description: 'Ids that are no memory of this user, or begin several.' }),
    ),
    omitted: Type.Integer({ description: 'Memories, links, facts or ids that did not fit into maxTokens.' }),
    nextFrom: Type.Optional(
      Type.Integer({ description: 'Of a content that was cut: `from` to go on with.' }),
    ),
    relations: Type.Optional(Type.Array(RelationSchema)),
    facts: Type.Optional(Type.Array(FactSchema)),
  }),
  run: async (context, { id, ids, name, from, maxTokens }) => {
    const given = [id, ids, name].filter((each) => each !== undefined).length;
    if (given !== 1) throw invalidInput('the call', 'must give one of id, ids and name');
    if (ids !== undefined) return several(context, ids, maxTokens);
    const { services, user } = context;
    const memory =
      name === undefined ? await findMemory(context, id ?? '') : await services.memories.getNamed(user, name);
    return detailed(context, { memory, from, maxTokens });
  },
});

export const namedTool = defineTool({
  name: 'named',
  title: 'Named memories',
  description:
    'The memories that have a fixed name (plans, conventions, preferences), each in its newest version, by name; with `name` the history of one. ' +
    'Call it to learn what standing knowledge there is; `get` reads one whole, `remember` with the name adds a version.',
  scope: 'read',
  input: strictObject({
    name: Type.Optional(nameField('Answer all versions of this one, newest first.')),
    limit: limitField(50, 200, 'memories'),
    offset: offsetField,
    ...budgetField,
  }),
  output: Type.Object({ memories: Type.Array(MemoryItemSchema), ...listFields }),
  run: async ({ services, user }, { name, limit, offset, maxTokens }) => {
    const { memories } = services;
    if (name !== undefined) {
      const head = await memories.history(user, name, { limit: 1, offset: 0 });
      const total = head.items[0]?.chainVersion ?? 1;
      const versions = await memories.history(user, name, { limit, offset });
      const fitted = fitMemories(
        versions.items.map((memory) => toMemoryItem(memory)),
        maxTokens,
      );
      const page = { total, offset, taken: versions.items.length };
      return { memories: fitted.items, ...pageCounts(fitted, page) };
    }
    const page = await services.stores.forUser(user).memories.listNamed({ limit, offset });
    const fitted = fitMemories(
      page.items.map((memory) => toMemoryItem(memory)),
      maxTokens,
    );
    const counts = pageCounts(fitted, { total: page.count, offset, taken: page.items.length });
    return { memories: fitted.items, ...counts };
  },
});
