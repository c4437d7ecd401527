import type { Static } from 'typebox';
import {
  type BuiltContext,
  type ContextRequest,
  recentHoursDefault,
  sectionDeadlineMs,
} from '../../../briefing/context/context.ts';
import { invalidInput } from '../../../domain/shared/errors.ts';
import { toIso } from '../../../domain/shared/time.ts';
import { rootCodeOf } from '../../../lib/failure-log.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { component } from '../../schemas/component.ts';
import { described } from '../../schemas/envelope.ts';
import { parseScope } from '../../schemas/memory-filter.ts';
import { relevanceFloorField, share } from '../../schemas/query.ts';
import { fencedField, fencedText, fencedTextField } from './fenced.ts';

const tokenBudgetDefault = 2000;
const filesMax = 100;

const ContextBody = Type.Object(
  {
    context: Type.String({
      minLength: 1,
      maxLength: 2000,
      description: 'What is about to be worked on, in a sentence or two.',
    }),
    files: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 1000 }), {
        maxItems: filesMax,
        description: 'Paths to be touched: memories that name one of them, or its parts, come first.',
      }),
    ),
    recentHours: Type.Optional(
      Type.Number({
        minimum: 1,
        maximum: 720,
        default: recentHoursDefault,
        description: 'Of `recentActivity`.',
      }),
    ),
    scope: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'Comma-separated key:value pairs over codeContext, for the sections made of memories.',
      }),
    ),
    tokenBudget: Type.Optional(
      Type.Integer({
        minimum: 200,
        maximum: 32_000,
        default: tokenBudgetDefault,
        description: 'The sections have at most so many tokens (o200k) together, as JSON.',
      }),
    ),
    fenced: fencedField,
  },
  {
    examples: [
      { context: 'change how failed jobs are retried', files: ['src/queue/retry.ts'], recentHours: 48 },
    ],
  },
);

const nullable = (type: string) => Type.Unsafe<string | null>({ type: [type, 'null'] });

const ActiveWorkSchema = Type.Unsafe<{
  conversationId: string;
  title: string | null;
  lastActivity: string;
  lastMemory: { id: string; summary: string };
} | null>({
  type: ['object', 'null'],
  description:
    'The conversation that fits the task and went on last, one with open ends rather than another; null where none fits.',
  properties: {
    conversationId: { type: 'string' },
    title: { type: ['string', 'null'] },
    lastActivity: { type: 'string' },
    lastMemory: { type: 'object', properties: { id: { type: 'string' }, summary: { type: 'string' } } },
  },
});

export const ContextResponseSchema = Type.Object(
  {
    activeWork: ActiveWorkSchema,
    relevantMemories: Type.Array(
      Type.Object({
        id: Type.String(),
        content: Type.String({
          description:
            'At most its first 1,500 characters; of a longer one its passages, under their headings.',
        }),
        from: Type.Optional(
          Type.Integer({
            minimum: 0,
            description: 'UTF-16 unit of the memory where its best passage begins.',
          }),
        ),
        shortened: Type.Optional(
          Type.Boolean({
            description:
              'True where `content` is its sentence that fits best: the whole did not fit into `tokenBudget`.',
          }),
        ),
        date: Type.String(),
        relevance: share,
        open: Type.Optional(
          Type.Boolean({ description: 'True for a problem or task that is not resolved.' }),
        ),
        newer: Type.Optional(
          Type.String({
            description:
              'Id of the memory that replaces it or a part of it; where both are here, it comes first.',
          }),
        ),
        files: Type.Optional(
          Type.Array(Type.String(), { description: 'Files of the request that it names.' }),
        ),
      }),
      {
        description:
          'What is known about the task, at most 15: rules that it would break first, then what names the files, then the ' +
          'results of a search. A date in `context` filters nothing.',
      },
    ),
    relevantFacts: Type.Array(
      Type.Object({
        subject: Type.String(),
        predicate: Type.String(),
        object: Type.String(),
        confidence: share,
        sourceMemoryId: Type.String({ description: 'Empty for a fact that no memory says.' }),
      }),
    ),
    gotchas: Type.Array(
      Type.Object({
        fact: Type.String(),
        sourceCount: Type.Integer(),
        sourceMemories: Type.Array(Type.String()),
        lastSeen: Type.String(),
      }),
      { description: 'Facts that two memories or more say.' },
    ),
    open: Type.Optional(
      Type.Array(
        Type.Object({
          id: Type.String(),
          summary: Type.String({ description: 'At most 200 characters.' }),
          date: Type.String(),
          conversationId: Type.String(),
        }),
        {
          description:
            'Other memories about the task with `outcome` unresolved, which no relationship RESOLVES.',
        },
      ),
    ),
    recentActivity: Type.Array(
      Type.Object({
        id: Type.String(),
        summary: Type.String({ description: 'At most 200 characters.' }),
        date: Type.String(),
        conversationId: nullable('string'),
      }),
      { description: 'What was written within the window, newest first.' },
    ),
    relatedPatterns: Type.Array(Type.Object({ pattern: Type.String(), confidence: share })),
    fenced: fencedTextField,
    meta: Type.Object({
      contextTerms: Type.Array(Type.String(), { description: 'Terms that were searched for.' }),
      recentHours: Type.Number(),
      tokens: Type.Integer({ description: 'Of the sections as JSON, at most `tokenBudget`.' }),
      relevanceFloor: relevanceFloorField('Where no memory reaches it, no memory is about the task'),
      scope: Type.Optional(Type.Record(Type.String(), Type.String())),
      unfilteredSections: Type.Optional(
        Type.Array(Type.String(), { description: 'Sections to which `scope` does not apply.' }),
      ),
      omitted: Type.Optional(
        Type.Record(Type.String(), Type.Integer(), {
          description: 'Found items of each section that did not fit into `tokenBudget`; absent: none.',
        }),
      ),
      degraded: Type.Optional(Type.Boolean({ description: 'True where a section is missing.' })),
      timedOutSections: Type.Optional(Type.Array(Type.String())),
      failedSections: Type.Optional(Type.Array(Type.String())),
    }),
  },
  component('BuiltContext'),
);

type ContextRecord = Static<typeof ContextResponseSchema>;
type ContextRequestBody = Static<typeof ContextBody>;

/** @throws 400, 422 */
function toContextRequest(
  body: ContextRequestBody,
): Pick<ContextRequest, 'context' | 'files' | 'recentHours' | 'scope' | 'tokenBudget'> {
  if (body.context.trim() === '') throw invalidInput('context', 'must not be blank');
  return {
    context: body.context,
    files: [...new Set(body.files ?? [])],
    recentHours: body.recentHours ?? recentHoursDefault,
    scope: parseScope(body.scope),
    tokenBudget: body.tokenBudget ?? tokenBudgetDefault,
  };
}

function toSections(built: BuiltContext): Omit<ContextRecord, 'meta' | 'fenced'> {
  const { activeWork } = built;
  return {
    activeWork: activeWork && { ...activeWork, lastActivity: toIso(activeWork.lastActivity) },
    relevantMemories: built.relevantMemories.map(
      ({ id, content, from, isShortened, at, relevance, isOpen, newer, files }) => ({
        id,
        content,
        from,
        ...(isShortened && { shortened: true }),
        date: toIso(at),
        relevance,
        ...(isOpen && { open: true }),
        ...(newer !== undefined && { newer }),
        ...(files.length > 0 && { files: [...files] }),
      }),
    ),
    relevantFacts: [...built.relevantFacts],
    gotchas: built.gotchas.map(({ fact, sourceMemories, lastSeen }) => ({
      fact,
      sourceCount: sourceMemories.length,
      sourceMemories: [...sourceMemories],
      lastSeen: toIso(lastSeen),
    })),
    ...(built.open.length > 0 && { open: built.open.map(({ at, ...end }) => ({ ...end, date: toIso(at) })) }),
    recentActivity: built.recentActivity.map(({ at, ...activity }) => ({ ...activity, date: toIso(at) })),
    relatedPatterns: [...built.relatedPatterns],
  };
}

function toContextRecord(
  built: BuiltContext,
  { recentHours, scope }: Pick<ContextRequest, 'recentHours' | 'scope'>,
  isFenced: boolean | undefined,
): ContextRecord {
  const { timedOutSections, failedSections } = built;
  const sections = toSections(built);
  return {
    ...sections,
    ...fencedText(isFenced, sections),
    meta: {
      contextTerms: [...built.contextTerms],
      recentHours,
      tokens: built.tokens,
      relevanceFloor: built.relevanceFloor,
      ...(Object.keys(built.omitted).length > 0 && {
        omitted: { ...built.omitted } as Record<string, number>,
      }),
      ...(scope && {
        scope: scope as Record<string, string>,
        unfilteredSections: ['activeWork', 'relevantFacts', 'gotchas', 'relatedPatterns'],
      }),
      ...(timedOutSections.length + failedSections.length > 0 && { degraded: true }),
      ...(timedOutSections.length > 0 && { timedOutSections: [...timedOutSections] }),
      ...(failedSections.length > 0 && { failedSections: [...failedSections] }),
    },
  };
}

export const buildContext: Route = (app, { briefing }) =>
  app.post(
    '/api/memories/build-context',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'buildContext',
        tags: ['Briefing'],
        summary: 'Gather what to know before work begins',
        description:
          'The conversation that the work belongs to, memories and facts about it, facts that several memories say, ' +
          'and what was written lately; within a budget of tokens. Sections are found at the same time; one that ' +
          'fails or takes longer than 5 s is empty and named in `meta`.',
        body: ContextBody,
        response: { 200: described(ContextResponseSchema, 'The sections.') },
      },
    },
    async ({ user, body, log }) => {
      const request = toContextRequest(body);
      const built = await briefing.context(user, {
        ...request,
        deadlineMs: sectionDeadlineMs,
        onFailure: (section, error) =>
          log.error({ section, code: rootCodeOf(error) }, 'a section of a context could not be made'),
      });
      return toContextRecord(built, request, body.fenced);
    },
  );
