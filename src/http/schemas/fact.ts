import { type Static, Type } from 'typebox';
import { type ConfidenceBasis, type Fact, factLengthMax } from '../../domain/facts/fact.ts';
import { toIso } from '../../domain/shared/time.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import { component } from './component.ts';
import { oneOf } from './query.ts';
import { sampleIds } from './samples.ts';

/** Name of each basis in the API, for facts and memories. */
export const basisNames = {
  direct: 'direct-statement',
  repeated: 'repeated-mention',
  hedged: 'hedged',
  planned: 'planned',
  inferred: 'inference',
} as const satisfies Readonly<Record<ConfidenceBasis, string>>;

export const confidenceBasisField = oneOf(Object.values(basisNames), {
  ...component('ConfidenceBasis'),
  description:
    'How memories say what was derived from them: directly, directly in several of them, with a doubt or by hearsay ' +
    '(hedged), as something that will be (planned), or not in these words (inference). Absent if a client stated it.',
});

export const FactSchema = Type.Object(
  {
    id: Type.String({ examples: [sampleIds.fact] }),
    userId: Type.String(),
    subject: Type.String(),
    predicate: Type.String(),
    object: Type.String(),
    name: Type.String({ description: 'The same as subject.' }),
    type: Type.String({ description: 'The same as predicate.' }),
    confidence: Type.Number({ description: '0-1.' }),
    sourceMemoryId: Type.Optional(
      Type.String({
        description: 'The first memory that it was drawn from; absent where it was stated alone.',
      }),
    ),
    sourceMemoryIds: Type.Array(Type.String(), {
      description:
        'All memories that it was drawn from, without those in the trash; the first written first.',
    }),
    mentionCount: Type.Integer({ description: 'How many memories those are.' }),
    confidenceBasis: Type.Optional(confidenceBasisField),
    negated: Type.Optional(
      Type.Boolean({ description: 'True where what was derived says that something is not so.' }),
    ),
    corrected: Type.Optional(Type.Boolean({ description: 'True where a person changed what was derived.' })),
    extractedAt: Type.Optional(Type.String({ description: 'When it was drawn from a memory.' })),
    createdAt: Type.String(),
    updatedAt: Type.String(),
  },
  component('Fact'),
);

export function toFactRecord(fact: Fact, user: UserRef): Static<typeof FactSchema> {
  const { id, subject, predicate, object, confidence, sourceMemoryIds } = fact;
  return {
    id,
    userId: user.publicId,
    subject,
    predicate,
    object,
    name: subject,
    type: predicate,
    confidence,
    ...(sourceMemoryIds.length > 0 && { sourceMemoryId: sourceMemoryIds[0] }),
    sourceMemoryIds: [...sourceMemoryIds],
    mentionCount: sourceMemoryIds.length,
    ...(fact.basis && { confidenceBasis: basisNames[fact.basis] }),
    ...(fact.isNegated && { negated: true }),
    ...(fact.isCorrected && { corrected: true }),
    ...(fact.extractedAt !== null && { extractedAt: toIso(fact.extractedAt) }),
    createdAt: toIso(fact.createdAt),
    updatedAt: toIso(fact.updatedAt),
  };
}

const words = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, description: `${description} Not blank.` });

export const subjectField = words(factLengthMax.subject, 'Name of what it is about.');
export const predicateField = words(factLengthMax.predicate, 'The relation of the subject to the object.');
export const objectField = words(factLengthMax.object, 'Name or value that the subject is related to.');
export const confidenceField = Type.Optional(Type.Number({ minimum: 0, maximum: 1 }));
