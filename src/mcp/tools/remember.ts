import { Type } from 'typebox';
import { memoryTypes } from '../../domain/memories/memory.ts';
import type { MemoryInput } from '../../domain/memories/memory-input.ts';
import { parseTime } from '../../domain/shared/time.ts';
import {
  choiceField,
  contentField,
  idField,
  metadataField,
  nameField,
  timeField,
  topicsField,
} from '../fields.ts';
import { memoryIdOf } from '../memory-reference.ts';
import { secretWarning, warningField } from '../records.ts';
import { budgetField, defineTool, strictObject, type ToolContext } from '../tool.ts';

const input = strictObject({
  content: contentField(
    'What to remember, in full sentences that make sense without this conversation: what, why, where, when.',
  ),
  topics: Type.Optional(topicsField('A few words to filter by later, such as a project or a component.')),
  name: Type.Optional(
    nameField(
      'A fixed name for what changes over time (release-plan): remembering under it again adds a version, which replaces the one before.',
    ),
  ),
  supersedes: Type.Optional(idField('Id of a memory that is out of date now: searches stop finding it.')),
  conversationId: Type.Optional(
    idField('Conversation to append to; NEW begins one; absent: that of this session.'),
  ),
  memoryType: Type.Optional(
    choiceField(memoryTypes, 'episodic: what happened; semantic: what is so; procedural: how to do it.'),
  ),
  eventTime: Type.Optional(timeField('When it happened, ISO 8601; absent: now.')),
  metadata: Type.Optional(metadataField),
  ...budgetField,
});

export interface RememberRequest extends MemoryInput {
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
  const { memory } = await services.memories.create(user, stated, requested);
  const { id, name } = memory;
  return {
    id,
    conversationId: memory.conversationId,
    ...(name !== null && { name, version: 1 }),
    ...replaced,
    ...warning,
  };
}

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
    'Store one thing worth knowing later: a decision and its reason, a fix and its cause, a preference, a fact, how something is done. ' +
    'One memory for each thing, written so that a stranger understands it. Call it when it happens, not only at the end. ' +
    'Search first when it may be known already; replace what is out of date with `supersedes` or `name`. Answers the id.',
  scope: 'write',
  input,
  output: RememberedSchema,
  run: (context, { maxTokens: _, eventTime, ...stated }) =>
    remember(context, {
      ...stated,
      ...(eventTime !== undefined && { eventTime: parseTime(eventTime, 'eventTime') }),
    }),
});
