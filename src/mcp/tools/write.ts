import { Type } from 'typebox';
import { bulkIdsMax, memoryTypes, outcomes } from '../../domain/memories/memory.ts';
import type { MemoryInput } from '../../domain/memories/memory-input.ts';
import { type SimilarMemory, similarKinds } from '../../domain/memories/similar-memories.ts';
import { relationshipTypes } from '../../domain/relationships/relationship.ts';
import { invalidInput } from '../../domain/shared/errors.ts';
import { parseTime } from '../../domain/shared/time.ts';
import { previewOf } from '../../search/shape/preview.ts';
import { cutText, fitList } from '../budget.ts';
import {
  choiceField,
  contentField,
  idField,
  metadataField,
  nameField,
  secretWarning,
  shortId,
  timeField,
  topicsField,
  warningField,
} from '../fields.ts';
import { memoryIdOf, memoryIdsOf } from '../memory-reference.ts';
import { budgetField, defineTool, strictObject, type ToolContext } from '../tool.ts';

interface RememberRequest extends MemoryInput {
  readonly content: string;
  readonly supersedes?: string;
  readonly conversationId?: string;
}

export const RememberedSchema = Type.Object({
  id: Type.String(),
  conversationId: Type.String(),
  name: Type.Optional(Type.String()),
  version: Type.Optional(Type.Integer()),
  previousVersionId: Type.Optional(Type.String()),
  superseded: Type.Optional(Type.String({ description: 'Id of the memory that this one replaces.' })),
  similar: Type.Optional(
    Type.Array(
      Type.Object({
        id: Type.String(),
        preview: Type.String(),
        kind: choiceField(
          similarKinds,
          'otherValue: only one can hold; `link` SUPERSEDES hides the old one.',
        ),
      }),
    ),
  ),
  ...warningField,
});

/** Writes a memory, or a version of the memory that has the name. */
export async function remember(context: ToolContext, given: RememberRequest) {
  const { services, user, sessionId } = context;
  const request =
    given.supersedes === undefined ? given : await withWholeId(context, given, given.supersedes);
  const { supersedes, conversationId, ...stated } = request;
  const warning = secretWarning(given.content);
  const replaced = supersedes === undefined ? {} : { superseded: supersedes };
  const version = stated.name ? await rememberVersion({ services, user }, request) : undefined;
  if (version) return { ...version, ...replaced, ...warning };
  const requested = { conversationId, supersedes, agentSessionId: sessionId };
  const { memory, similar = [] } = await services.memories.create(user, stated, requested);
  const { id, name } = memory;
  return {
    id,
    conversationId: memory.conversationId,
    ...(name !== null && { name, version: 1 }),
    ...replaced,
    ...(similar.length > 0 && { similar: similar.map(toSimilar) }),
    ...warning,
  };
}

const toSimilar = ({ memory: { id, content }, kind }: SimilarMemory) => ({
  id: shortId(id),
  preview: previewOf(content),
  kind,
});

async function withWholeId(context: ToolContext, request: RememberRequest, supersedes: string) {
  return { ...request, supersedes: await memoryIdOf(context, supersedes, 'supersedes') };
}

/** @returns undefined if no memory has the name yet */
async function rememberVersion(
  { services, user }: Pick<ToolContext, 'services' | 'user'>,
  { name, ...input }: RememberRequest,
) {
  if (!name || !(await services.stores.forUser(user).memories.findByName(name))) return undefined;
  const { memory, previousVersionId, version } = await services.memories.addVersion(user, name, input);
  return { id: memory.id, conversationId: memory.conversationId, name, version, previousVersionId };
}

export const rememberTool = defineTool({
  name: 'remember',
  title: 'Remember something',
  description:
    'Store one thing worth knowing later: a decision and its reason, a fix and its cause, a preference, how something is done. ' +
    'Call it when it happens, once for each thing. `search` first if it may be known; replace what is out of date with `supersedes` or `name`.',
  scope: 'write',
  input: strictObject({
    content: contentField('Full sentences that a stranger understands: what, why, where, when.'),
    topics: Type.Optional(topicsField('One to three, such as a project or a component.')),
    name: Type.Optional(
      nameField('A fixed name (release-plan) for what changes: a new version replaces the one before.'),
    ),
    supersedes: Type.Optional(idField('The memory that is out of date now.')),
    conversationId: Type.Optional(idField('NEW begins one; absent: that of this session.')),
    memoryType: Type.Optional(
      choiceField(memoryTypes, 'episodic: what happened; semantic: what is so; procedural: how to do it.'),
    ),
    eventTime: Type.Optional(timeField('When it happened; absent: now.')),
    outcome: Type.Optional(choiceField(outcomes, 'unresolved: an open end.')),
    metadata: Type.Optional(metadataField),
    ...budgetField,
  }),
  output: RememberedSchema,
  run: (context, { maxTokens: _, eventTime, ...stated }) =>
    remember(context, {
      ...stated,
      ...(eventTime !== undefined && { eventTime: parseTime(eventTime, 'eventTime') }),
    }),
});

export const updateTool = defineTool({
  name: 'update',
  title: 'Correct a memory',
  description:
    'Correct a mistake in a memory, or set its outcome; what is not given stays. ' +
    'If the world changed, call `remember` with `supersedes`.',
  scope: 'write',
  isDestructive: true,
  input: strictObject({
    id: idField(),
    content: Type.Optional(contentField('The new text.')),
    topics: Type.Optional(topicsField('All that it shall have.')),
    name: Type.Optional(nameField()),
    memoryType: Type.Optional(choiceField(memoryTypes)),
    outcome: Type.Optional(choiceField(outcomes)),
    eventTime: Type.Optional(timeField()),
    metadata: Type.Optional(metadataField),
    ...budgetField,
  }),
  output: Type.Object({
    id: Type.String(),
    updatedAt: Type.String(),
    changed: Type.Array(Type.String(), { description: 'What the call stated.' }),
    ...warningField,
  }),
  run: async (context, { id, maxTokens: _, eventTime, ...stated }) => {
    const { services, user } = context;
    const change = {
      ...stated,
      ...(eventTime !== undefined && { eventTime: parseTime(eventTime, 'eventTime') }),
    };
    const changed = Object.keys(change);
    if (changed.length === 0) throw invalidInput('the call', 'must give something to change');
    const memory = await services.memories.update(user, await memoryIdOf(context, id), change);
    return {
      id: memory.id,
      updatedAt: new Date(memory.updatedAt).toISOString(),
      changed,
      ...secretWarning(stated.content),
    };
  },
});

const reasonLengthMax = 1000;

export const linkTool = defineTool({
  name: 'link',
  title: 'Link two memories',
  description:
    'State how two memories belong together: a fix RESOLVES a problem, a new decision SUPERSEDES an old one.',
  scope: 'write',
  input: strictObject({
    from: idField('The memory that replaces, resolves, follows, contradicts, refers to or repeats.'),
    to: idField('The other memory.'),
    type: choiceField(relationshipTypes, 'SUPERSEDES and CONTRADICTS hide `to` from searches.'),
    reason: Type.Optional(Type.String({ maxLength: reasonLengthMax, description: 'In a sentence.' })),
    ...budgetField,
  }),
  output: Type.Object({
    relationshipId: Type.String(),
    from: Type.String(),
    to: Type.String(),
    type: Type.String(),
    stateOfTo: Type.String({ description: 'State of `to` now.' }),
  }),
  run: async (context, { from: source, to: target, type, reason }) => {
    const { services, user } = context;
    const from = await memoryIdOf(context, source, 'from');
    const to = await memoryIdOf(context, target, 'to');
    const edge = await services.relationships.create(user, from, {
      targetMemoryId: to,
      type,
      confidence: 1,
      reason: reason ?? null,
    });
    const { effectiveState } = await services.memories.get(user, to);
    return { relationshipId: edge.id, from, to, type, stateOfTo: effectiveState };
  },
});

const FailureSchema = Type.Object({ id: Type.String(), reason: Type.String() });

/** Trash entries to read: those of this call are the newest, unless others delete at the same time. */
const entriesMax = 50;

interface Forgotten {
  readonly ids: readonly string[];
  readonly done: number;
}

async function noteOn({ services, user }: ToolContext, { ids, done }: Forgotten): Promise<string> {
  if (done === 0) return 'Nothing was forgotten: none of these ids is of a memory.';
  const newest = { kind: 'memory', limit: entriesMax, offset: 0 } as const;
  const { items } = await services.stores.forUser(user).trash.list(newest);
  const isThere = items.some(({ recordId }) => ids.includes(recordId));
  if (!isThere) return 'Erased for good: this service keeps no trash.';
  return done === 1
    ? 'It is in the trash, from which a person can restore it.'
    : 'They are in the trash, from which a person can restore them.';
}

export const forgetTool = defineTool({
  name: 'forget',
  title: 'Forget memories',
  description:
    'Move memories to the trash: only when the user asks, or for a mistake. What is out of date: `remember` with `supersedes`.',
  scope: 'write',
  isDestructive: true,
  input: strictObject({
    ids: Type.Array(idField(), { minItems: 1, maxItems: bulkIdsMax }),
    ...budgetField,
  }),
  output: Type.Object({
    forgotten: Type.Integer(),
    failed: Type.Array(FailureSchema),
    omitted: Type.Integer({ description: 'Failures that did not fit into maxTokens.' }),
    note: Type.String(),
  }),
  run: async (context, { ids: given, maxTokens }) => {
    const { services, user } = context;
    const { ids, ambiguous } = await memoryIdsOf(context, given);
    const { done, errors } = await services.memories.bulkDelete(user, ids);
    const { items, omitted } = fitList(
      [...errors, ...ambiguous].map(({ id, error }) => ({ id: cutText(id, 100), reason: error })),
      maxTokens,
    );
    return {
      forgotten: done,
      failed: items,
      omitted,
      note: await noteOn(context, { ids, done }),
    };
  },
});
