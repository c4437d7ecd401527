import type { CompiledInstructions } from '../../../briefing/instructions/instructions.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { described, errorResponses } from '../../schemas/envelope.ts';
import { InstructionsResponseSchema } from '../../schemas/instructions.ts';

const defaults = { tokenBudget: 200, minConfidence: 0.5, maxInstructions: 5 } as const;

const Body = Type.Optional(
  Type.Object(
    {
      conversationContext: Type.Optional(
        Type.Array(Type.String({ maxLength: 100 }), { maxItems: 20, description: 'What the talk is about.' }),
      ),
      currentQuery: Type.Optional(Type.String({ maxLength: 2000 })),
      tokenBudget: Type.Optional(
        Type.Integer({
          minimum: 50,
          maximum: 2000,
          default: defaults.tokenBudget,
          description: 'Tokens of o200k that the instructions have together at most.',
        }),
      ),
      minConfidence: Type.Optional(Type.Number({ minimum: 0, maximum: 1, default: defaults.minConfidence })),
      maxInstructions: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 10, default: defaults.maxInstructions }),
      ),
    },
    {
      examples: [{ conversationContext: ['deploys'], currentQuery: 'release the service', tokenBudget: 200 }],
    },
  ),
);

const summaries: Readonly<Record<CompiledInstructions['systemState'], string>> = {
  ok: '',
  cold_start: 'There are no patterns yet: compile them first.',
  pending_only: 'All patterns were seen only once.',
  no_match: 'No pattern fits.',
};

function toRecord({ instructions, conflicts, ...compiled }: CompiledInstructions) {
  const { patternsActivated: activated, patternsEvaluated: all } = compiled;
  return {
    ...compiled,
    instructions: instructions.map(({ pattern, text, priority, source, activatedBy }) => ({
      patternId: pattern.id,
      instruction: text,
      confidence: pattern.confidence,
      priority,
      source,
      patternType: pattern.type,
      activatedBy: [...activatedBy],
      evidenceSummary: `${pattern.occurrences} ${pattern.occurrences === 1 ? 'memory' : 'memories'}`,
    })),
    summary: summaries[compiled.systemState] || `${activated} of ${all} patterns give an instruction.`,
    conflictsResolved: conflicts.map((one) => ({ ...one, strategy: 'priority_override' as const })),
  };
}

export const compileInstructions: Route = (app, { briefing }) => {
  app.post(
    '/api/patterns/compile-instructions',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'compileInstructions',
        tags: ['Patterns'],
        summary: 'Get instructions made of patterns',
        description:
          'Rules and corrections, and other patterns that fit the query or the context, by priority and confidence within a ' +
          'budget of tokens. Of two patterns that contradict each other the one of higher priority stays.',
        body: Body,
        response: { 200: described(InstructionsResponseSchema, 'The instructions.'), ...errorResponses },
      },
    },
    async ({ user, body }) => {
      const { conversationContext = [], ...rest } = body ?? {};
      return toRecord(await briefing.instructions(user, { ...defaults, ...rest, conversationContext }));
    },
  );
};
