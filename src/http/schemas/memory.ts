import { type Static, Type } from 'typebox';
import {
  effectiveStates,
  type Memory,
  memoryTypes,
  type OutdatedPart,
  outcomes,
  roles,
} from '../../domain/memories/memory.ts';
import { toIso } from '../../domain/shared/time.ts';
import { doors } from '../../domain/shared/user-ref.ts';
import { component } from './component.ts';
import { jsonObject, oneOf } from './query.ts';
import { sampleIds } from './samples.ts';

const optionalText = Type.Optional(Type.String());
const optionalTime = Type.Optional(Type.String({ examples: ['2026-02-01T09:30:00.000Z'] }));

const CodeContextSchema = Type.Object(
  {
    product: optionalText,
    repo: optionalText,
    service: optionalText,
    component: optionalText,
    team: optionalText,
    role: optionalText,
    extra: Type.Optional(Type.Record(Type.String(), Type.String())),
  },
  { ...component('CodeContext'), description: 'Where in a body of code the memory belongs.' },
);

/** Values of any type: no member is left out. */
export const MetadataSchema = jsonObject('What the client keeps with the memory for its own use.');

/** The fields of every memory; unstated ones are absent. No unions: the serializer is faster without them. */
export const memoryFields = {
  id: Type.String({ examples: [sampleIds.memory] }),
  content: Type.String(),
  memoryType: oneOf(memoryTypes, component('MemoryType')),
  memoryTypeUserSet: Type.Boolean({ description: 'True if the caller chose memoryType.' }),
  name: Type.Optional(Type.String({ description: 'On the newest version of a named memory only.' })),
  version: Type.Optional(Type.Integer({ description: 'Number of this version of a named memory, from 1.' })),
  role: Type.Optional(oneOf(roles, component('MemoryRole'))),
  context: optionalText,
  topics: Type.Array(Type.String()),
  conversationId: Type.String(),
  externalId: Type.Optional(Type.String({ description: 'What another system calls it.' })),
  timestamp: Type.String({ description: 'The same as createdAt.' }),
  eventTime: optionalTime,
  validFrom: optionalTime,
  validTo: optionalTime,
  createdAt: Type.String({
    description: 'When it was written: here, or elsewhere where the create stated that.',
  }),
  updatedAt: Type.String(),
  effectiveState: oneOf(effectiveStates, component('EffectiveState')),
  outdatedParts: Type.Optional(
    Type.Array(
      Type.Object({
        start: Type.Integer({ examples: [37] }),
        end: Type.Integer({ examples: [47] }),
        by: Type.String({ description: 'Id of the newer memory.', examples: [sampleIds.otherMemory] }),
      }),
      {
        description:
          'What a newer memory replaces: offsets in content, in UTF-16 units. The rest still holds, so the memory is current.',
      },
    ),
  ),
  createdBy: Type.Optional(
    Type.Object(
      {
        keyId: Type.String(),
        label: Type.String(),
        via: oneOf(doors),
        agent: Type.Optional(
          Type.String({ description: 'The program, as its `User-Agent` begins.', examples: ['claude-code'] }),
        ),
        tool: Type.Optional(Type.String({ description: 'The MCP tool.', examples: ['remember'] })),
      },
      {
        description:
          'The key that wrote this version, and how it came: `import` for a record of an import, `hook` for what ' +
          '`memoryd hook` stored of a session.',
      },
    ),
  ),
  codeContext: Type.Optional(CodeContextSchema),
  metadata: Type.Optional(MetadataSchema),
  taskId: optionalText,
  outcome: Type.Optional(oneOf(outcomes, component('Outcome'))),
  importance: Type.Optional(Type.Number()),
} as const;

export const MemorySchema = Type.Object(memoryFields, component('Memory'));
export type MemoryRecord = Static<typeof MemorySchema>;

function optionalIso(time: number | null): string | undefined {
  return time === null ? undefined : toIso(time);
}

/** A memory that a query found: without its author, who would be the same in most. */
export function toHitRecord(memory: Memory): MemoryRecord {
  return Object.assign(toMemoryRecord(memory), { createdBy: undefined });
}

/** A memory as clients see it. */
export function toMemoryRecord(memory: Memory): MemoryRecord {
  const createdAt = toIso(memory.createdAt);
  return {
    id: memory.id,
    content: memory.content,
    memoryType: memory.memoryType,
    memoryTypeUserSet: memory.memoryTypeUserSet,
    name: memory.name ?? undefined,
    version: memory.chainVersion ?? undefined,
    role: memory.role ?? undefined,
    context: memory.context ?? undefined,
    topics: memory.topics as string[],
    conversationId: memory.conversationId,
    externalId: memory.externalId ?? undefined,
    timestamp: createdAt,
    eventTime: optionalIso(memory.eventTime),
    validFrom: optionalIso(memory.validFrom),
    validTo: optionalIso(memory.validTo),
    createdAt,
    updatedAt: memory.updatedAt === memory.createdAt ? createdAt : toIso(memory.updatedAt),
    effectiveState: memory.effectiveState,
    outdatedParts: (memory.outdatedParts as OutdatedPart[] | null) ?? undefined,
    createdBy: memory.createdBy ?? undefined,
    codeContext: memory.codeContext ?? undefined,
    metadata: (memory.metadata as Record<string, unknown> | null) ?? undefined,
    taskId: memory.taskId ?? undefined,
    outcome: memory.outcome ?? undefined,
    importance: memory.importance ?? undefined,
  };
}
