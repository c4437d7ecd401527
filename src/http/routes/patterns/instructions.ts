import type { CompiledInstructions } from '../../../briefing/instructions/instructions.ts';
import type { BehaviourState } from '../../../domain/patterns/behaviour-store.ts';
import { patternTypes } from '../../../domain/patterns/pattern.ts';
import { keyedAct } from '../../keyed-act.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { dataOf, described } from '../../schemas/envelope.ts';
import { jsonObject, oneOf } from '../../schemas/query.ts';

export const InstructionsResponseSchema = Type.Object({
  instructions: Type.Array(
    Type.Object({
      patternId: Type.String(),
      instruction: Type.String({
        description: 'A rule in its own words, others by a template; at most 500 characters.',
      }),
      confidence: Type.Number(),
      priority: Type.Number({ description: 'Higher counts more.' }),
      source: oneOf(['learned', 'explicit', 'manual']),
      patternType: oneOf(patternTypes),
      activatedBy: Type.Array(Type.String(), {
        description: 'query, context, files, memories, llm or always.',
      }),
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
    description:
      'ok: some patterns apply; cold_start: no patterns; pending_only: only pending ones; no_match: none applies.',
  }),
  judged: Type.Optional(
    Type.Object(
      {
        by: oneOf(['words', 'llm']),
        reason: Type.Optional(Type.String({ description: 'Why the LLM has not judged.' })),
      },
      { description: 'Who said which rules apply to the task; only where an LLM is configured.' },
    ),
  ),
  pendingCount: Type.Integer(),
  patternsExcluded: Type.Integer({ description: 'Those that are not pending and gave no instruction.' }),
});

const defaults = { tokenBudget: 200, minConfidence: 0.5, maxInstructions: 5 } as const;

const InstructionsBody = Type.Optional(
  Type.Object(
    {
      conversationContext: Type.Optional(
        Type.Array(Type.String({ maxLength: 100 }), { maxItems: 20, description: 'What the talk is about.' }),
      ),
      currentQuery: Type.Optional(Type.String({ maxLength: 2000 })),
      files: Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: 1000 }), {
          maxItems: 100,
          description: 'Paths to be touched: rules on them, or on their kind of file, fit.',
        }),
      ),
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
      examples: [
        {
          conversationContext: ['deploys'],
          currentQuery: 'release the service',
          files: ['scripts/release.sh'],
          tokenBudget: 200,
        },
      ],
    },
  ),
);

const summaries: Readonly<Record<CompiledInstructions['systemState'], string>> = {
  ok: '',
  cold_start: 'There are no patterns yet.',
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

export const compileInstructions: Route = (app, { briefing }) =>
  app.post(
    '/api/patterns/compile-instructions',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'compileInstructions',
        tags: ['Patterns'],
        summary: 'Get instructions made of patterns',
        description:
          'Rules, preferences and other patterns that fit the query, the context or the files by their words or by a memory found, ' +
          'and those on how to answer, by priority and confidence within a budget of tokens. Of two patterns that contradict each other the one of higher priority stays.',
        body: InstructionsBody,
        response: { 200: described(InstructionsResponseSchema, 'The instructions.') },
      },
    },
    async ({ user, body }) => {
      const { conversationContext = [], ...rest } = body ?? {};
      return toRecord(await briefing.instructions(user, { ...defaults, ...rest, conversationContext }));
    },
  );

const State = jsonObject('Any JSON object; the service does not interpret it.');

const BehaviourBody = Type.Object(
  {
    state: Type.Optional(jsonObject('Takes the place of the whole state.')),
    mutations: Type.Optional(
      jsonObject(
        'A JSON merge patch (RFC 7396): null removes a member, objects are merged. Applied after `state`.',
      ),
    ),
  },
  { examples: [{ mutations: { tone: 'brief', language: null } }] },
);

const toBehaviourBody = (state: BehaviourState) => ({ data: { ...state } });

export const getBehaviorState: Route = (app, { behaviour }) =>
  app.get(
    '/api/patterns/behavior/state',
    {
      schema: {
        operationId: 'getBehavioralState',
        tags: ['Patterns'],
        summary: 'Get the behaviour state',
        description: 'What clients keep of their own behaviour; an empty object where nothing was stored.',
        response: { 200: dataOf(State, 'The state.') },
      },
    },
    async ({ user }) => toBehaviourBody(await behaviour.get(user)),
  );

export const updateBehaviorState: Route = (app, { behaviour }) =>
  app.post(
    '/api/patterns/behavior/state',
    {
      schema: {
        operationId: 'updateBehavioralState',
        tags: ['Patterns'],
        summary: 'Change the behaviour state',
        description:
          'One of `state` and `mutations` is needed. A state has at most 64 KiB as JSON; more is 413.',
        body: BehaviourBody,
        response: { 200: dataOf(State, 'The state as it is now.') },
      },
    },
    async (request, reply) => {
      const { state, mutations } = request.body;
      const act = keyedAct<BehaviourState>(request, reply, 200, (done) => ({ body: toBehaviourBody(done) }));
      return toBehaviourBody(await behaviour.change(request.user, { state, mutations }, act));
    },
  );
