import { type Static, Type } from 'typebox';
import {
  codeContextExtraLengthMax,
  codeContextExtraMax,
  codeContextValueLengthMax,
  contentLengthMax,
  contextLengthMax,
  memoryTypes,
  namePattern,
  nameRule,
  type Outcome,
  outcomes,
  roles,
  taskIdLengthMax,
  topicLengthMax,
  topicsMax,
} from '../../domain/memories/memory.ts';
import type { MemoryInput } from '../../domain/memories/memory-input.ts';
import type { Metadata } from '../../domain/memories/metadata.ts';
import { metadataBytesMax, metadataDepthMax } from '../../domain/memories/metadata.ts';
import { isoPattern, isoRule, parseTime } from '../../domain/shared/time.ts';
import { looksSecret, secretStored } from '../../lib/hide-secrets.ts';
import { component } from './component.ts';
import { oneOf, timeText } from './query.ts';

const codeContextValue = Type.Optional(Type.String({ maxLength: codeContextValueLengthMax }));

const CodeContextBody = Type.Object(
  {
    product: codeContextValue,
    repo: codeContextValue,
    service: codeContextValue,
    component: codeContextValue,
    team: codeContextValue,
    role: codeContextValue,
    extra: Type.Optional(
      Type.Record(Type.String(), Type.String({ maxLength: codeContextExtraLengthMax }), {
        ...component('CodeContextExtraInput'),
        maxProperties: codeContextExtraMax,
      }),
    ),
  },
  component('CodeContextInput'),
);

const MetadataBody = Type.Unsafe<Metadata | null>({
  type: ['object', 'null'],
  additionalProperties: true,
  description:
    `Any JSON object of at most ${metadataBytesMax} bytes and ${metadataDepthMax} levels, given back as it is and not searched for words; ` +
    'lists and searches filter by it. What is given takes the place of all that was there; null or {} clears it.',
});

export const contentField = Type.String({ minLength: 1, maxLength: contentLengthMax });
export const nameField = Type.String({ pattern: namePattern, rule: nameRule, examples: ['release-plan'] });
export const topicsField = Type.Array(Type.String({ maxLength: topicLengthMax }), { maxItems: topicsMax });

/** Optional fields of a memory in every request that writes one: all but content and name. */
export const statedFields = {
  memoryType: Type.Optional(oneOf(memoryTypes, component('MemoryType'))),
  role: Type.Optional(oneOf(roles, component('MemoryRole'))),
  context: Type.Optional(Type.String({ maxLength: contextLengthMax })),
  topics: Type.Optional(topicsField),
  codeContext: Type.Optional(
    Type.Unsafe<Static<typeof CodeContextBody> | null>({ ...CodeContextBody, type: ['object', 'null'] }),
  ),
  metadata: Type.Optional(MetadataBody),
  taskId: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: taskIdLengthMax })),
  outcome: Type.Optional(
    Type.Unsafe<Outcome | null>({ type: ['string', 'null'], enum: [...outcomes, null] }),
  ),
  importance: Type.Optional(Type.Number()),
} as const;

/** When it was true; `validTo` without a time means the end of that day. */
export const timeFields = {
  eventTime: Type.Optional(timeText('When it happened.')),
  validFrom: Type.Optional(timeText('Start of validity.')),
  validTo: Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      maxLength: 64,
      pattern: isoPattern,
      rule: isoRule,
      description: 'End of validity, itself not included; null or absent: never expires.',
    }),
  ),
} as const;

interface TimeTexts {
  readonly eventTime?: string;
  readonly validFrom?: string;
  readonly validTo?: string | null;
}

function optionalTime(text: string | undefined, field: string): number | undefined {
  return text === undefined ? undefined : parseTime(text, field);
}

/**
 * The fields of a memory in a body; other members are left out.
 * @param path of `body` in the request, with its dot, for errors
 * @throws 422 for unreadable times
 */
export function toMemoryInput(body: Omit<MemoryInput, keyof TimeTexts> & TimeTexts, path = ''): MemoryInput {
  const { content, name, memoryType, role, context, topics, codeContext, metadata } = body;
  const { taskId, outcome, importance } = body;
  return {
    content,
    name,
    memoryType,
    role,
    context,
    topics,
    codeContext,
    metadata,
    taskId,
    outcome,
    importance,
    eventTime: optionalTime(body.eventTime, `${path}eventTime`),
    validFrom: optionalTime(body.validFrom, `${path}validFrom`),
    validTo:
      typeof body.validTo === 'string' ? parseTime(body.validTo, `${path}validTo`, 'end') : body.validTo,
  };
}

export const warningsField = {
  warnings: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'Warnings about the stored text, for example that it seems to contain a key or a password.',
    }),
  ),
};

/** A warning if the stored text seems to contain a key or a password. */
export function warningsOf({ content }: { readonly content: string }): { readonly warnings?: string[] } {
  return looksSecret(content) ? { warnings: [secretStored] } : {};
}
