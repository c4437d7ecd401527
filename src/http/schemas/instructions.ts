import { Type } from 'typebox';
import { patternTypes } from '../../domain/patterns/pattern.ts';
import { oneOf } from './query.ts';

export const InstructionsResponseSchema = Type.Object({
  instructions: Type.Array(
    Type.Object({
      patternId: Type.String(),
      instruction: Type.String({ description: 'Made by a template, at most 500 characters.' }),
      confidence: Type.Number(),
      priority: Type.Number({ description: 'Higher counts more.' }),
      source: oneOf(['learned', 'explicit', 'manual']),
      patternType: oneOf(patternTypes),
      activatedBy: Type.Array(Type.String(), { description: 'query, context, memories or always.' }),
      evidenceSummary: Type.String(),
    }),
    { description: 'The most important first.' },
  ),
  summary: Type.String(),
  tokenCount: Type.Integer({ description: 'Of the instructions, a line each.' }),
  patternsEvaluated: Type.Integer(),
  patternsActivated: Type.Integer(),
  conflictsResolved: Type.Array(
    Type.Object({
      winnerId: Type.String(),
      loserId: Type.String(),
      strategy: oneOf(['priority_override']),
    }),
  ),
  systemState: oneOf(['ok', 'cold_start', 'pending_only', 'no_match'], {
    description: 'Some fit; no patterns; only pending ones; none is sure enough, active and fits.',
  }),
  pendingCount: Type.Integer(),
  patternsExcluded: Type.Integer({ description: 'Those that are not pending and gave no instruction.' }),
});
