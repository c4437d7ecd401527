import { type Static, Type } from 'typebox';
import { detectBounds } from '../../domain/patterns/detect/detect-patterns.ts';
import { isPending, type Pattern, patternSource, patternTypes } from '../../domain/patterns/pattern.ts';
import { memoriesReadMax } from '../../domain/patterns/pattern-detection.ts';
import { toIso } from '../../domain/shared/time.ts';
import { component } from './component.ts';
import { jsonObject, oneOf, share } from './query.ts';
import { sampleIds } from './samples.ts';

export const PatternSchema = Type.Object(
  {
    id: Type.String({ examples: [sampleIds.pattern] }),
    type: oneOf(patternTypes, { description: 'What it is of; docs/patterns.md explains each.' }),
    name: Type.String(),
    description: Type.String(),
    confidence: {
      ...share,
      description: 'From what was seen, and from feedback; docs/patterns.md has the formula.',
    },
    metadata: jsonObject(),
    context: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The topic that most of its memories have.',
    }),
    occurrences: Type.Integer({
      minimum: 0,
      description: 'Live memories that show it; at most 200 are kept.',
    }),
    evidenceMemoryIds: Type.Array(Type.String(), { description: 'The last of these memories, at most 20.' }),
    source: oneOf(['learned', 'explicit', 'manual'], {
      description: 'Seen to recur, said outright, or edited by a person.',
    }),
    active: Type.Boolean({ description: 'An inactive one gives no instructions.' }),
    pending: Type.Boolean({ description: 'Seen once and not confirmed: it gives no instructions yet.' }),
    feedback: Type.Object({ positive: Type.Integer(), negative: Type.Integer() }),
    firstSeen: Type.String(),
    lastSeen: Type.String(),
    createdAt: Type.String(),
    updatedAt: Type.String(),
  },
  component('Pattern'),
);

/** Numbers of records that a detection read. */
export const readForPatterns = {
  memoriesRead: Type.Integer(),
  claimsRead: Type.Integer({ description: 'Preferences, rules and so on that their texts and facts state.' }),
  isCut: Type.Boolean({
    description:
      `Whether older memories were left out: beyond ${memoriesReadMax} memories, ${detectBounds.claims} claims, ` +
      `${detectBounds.characters} characters or ${detectBounds.ms / 1000} seconds of reading.`,
  }),
};

export function toPatternRecord(pattern: Pattern): Static<typeof PatternSchema> {
  return {
    id: pattern.id,
    type: pattern.type,
    name: pattern.name,
    description: pattern.description,
    confidence: pattern.confidence,
    metadata: { ...pattern.metadata },
    context: pattern.context,
    occurrences: pattern.occurrences,
    evidenceMemoryIds: [...pattern.evidence],
    source: patternSource(pattern),
    active: pattern.isActive,
    pending: isPending(pattern),
    feedback: { positive: pattern.positives, negative: pattern.negatives },
    firstSeen: toIso(pattern.firstSeen),
    lastSeen: toIso(pattern.lastSeen),
    createdAt: toIso(pattern.createdAt),
    updatedAt: toIso(pattern.updatedAt),
  };
}
