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
import {
  idField,
  limitField,
  MemoryItemSchema,
  nameField,
  offsetField,
  shortId,
  toMemoryItem,
  toWholeMemory,
  WholeMemorySchema,
} from '../fields.ts';
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
    id: shortId(isOutgoing ? targetMemoryId : sourceMemoryId),
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
  const whole = { ...toWholeMemory(memory), content: memory.content.slice(from) };
  const left = maxTokens - tokensOf(relations) - tokensOf(stated) - envelopeTokens;
  const item = cutMemory(whole, left);
  const isCut = item.content !== whole.content;
  const omitted = edges.length - relations.length + factsOfMemory.length - stated.length;
  return {
    memories: [item],
    ...(omitted > 0 && { omitted }),
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
  const fitted = fitMemories(found.map(toWholeMemory), maxTokens - tokensOf(missing.items));
  const omitted = fitted.omitted + missing.omitted;
  return {
    memories: fitted.items,
    ...(omitted > 0 && { omitted }),
    ...(notFound.length > 0 && { notFound: missing.items }),
  };
}

export const getTool = defineTool({
  name: 'get',
  title: 'Read memories whole',
  description:
    'Read memories whole, by id or name; of one also its facts and its links to others. For texts that `search` shows in part.',
  scope: 'read',
  input: strictObject({
    id: Type.Optional(idField()),
    ids: Type.Optional(Type.Array(idField(), { minItems: 1, maxItems: idsMax })),
    name: Type.Optional(nameField('Its newest version.')),
    from: Type.Integer({
      minimum: 0,
      maximum: 50_000,
      default: 0,
      description: 'Where to begin in a long one: the nextFrom of the answer before.',
    }),
    ...budgetField,
  }),
  output: Type.Object({
    memories: Type.Array(WholeMemorySchema),
    notFound: Type.Optional(
      Type.Array(Type.String(), { description: 'Ids that are no memory of this user, or begin several.' }),
    ),
    omitted: Type.Optional(
      Type.Integer({ description: 'Memories, links, facts or ids that did not fit into maxTokens.' }),
    ),
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
    'Memories with a fixed name (plans, conventions), each in its newest version; with `name` the history of one.',
  scope: 'read',
  input: strictObject({
    name: Type.Optional(nameField('All versions of this one, newest first.')),
    limit: limitField(20, 200),
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
      const fitted = fitMemories(versions.items.map(toMemoryItem), maxTokens);
      const page = { total, offset, taken: versions.items.length };
      return { memories: fitted.items, ...pageCounts(fitted, page) };
    }
    const page = await services.stores.forUser(user).memories.listNamed({ limit, offset });
    const fitted = fitMemories(page.items.map(toMemoryItem), maxTokens);
    const counts = pageCounts(fitted, { total: page.count, offset, taken: page.items.length });
    return { memories: fitted.items, ...counts };
  },
});
