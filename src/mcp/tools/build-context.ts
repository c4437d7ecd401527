import { type Static, Type } from 'typebox';
import type { Activity, BuiltContext } from '../../briefing/context/context.ts';
import { recentHoursDefault, sectionDeadlineMs } from '../../briefing/context/context.ts';
import { toJson } from '../../briefing/text/fence.ts';
import { type CountTokens, loadTokenCounter } from '../../briefing/text/tokens.ts';
import { invalidInput } from '../../domain/shared/errors.ts';
import { queryField, shortId, toDate } from '../fields.ts';
import { knownName } from '../known-name.ts';
import { budgetField, type ToolContext } from '../tool.ts';

/** The budget counts sections; this is left for the members around them. */
const envelopeTokens = 80;
const contextLengthMax = 2000;

const MemoryFields = { id: Type.String(), at: Type.String() };

const ContextSchema = Type.Object({
  activeWork: Type.Optional(
    Type.Object(
      {
        conversationId: Type.String(),
        title: Type.Optional(Type.String()),
        lastActivity: Type.String(),
        last: Type.String(),
      },
      {
        description:
          'The conversation that the work most likely belongs to, and the beginning of its newest memory.',
      },
    ),
  ),
  memories: Type.Array(
    Type.Object({
      ...MemoryFields,
      content: Type.String(),
      newer: Type.Optional(Type.String()),
      open: Type.Optional(Type.Boolean()),
      files: Type.Optional(
        Type.Array(Type.String(), { description: 'Of the files given, those that it names.' }),
      ),
    }),
    { description: 'What is known about the task; what names one of the files comes first.' },
  ),
  facts: Type.Optional(Type.Array(Type.String(), { description: 'Facts that one memory says.' })),
  gotchas: Type.Optional(
    Type.Array(Type.String(), { description: 'Facts that two memories or more say: do not overlook them.' }),
  ),
  open: Type.Optional(
    Type.Array(Type.Object({ ...MemoryFields, summary: Type.String() }), {
      description: 'What else about the task is not done.',
    }),
  ),
  recent: Type.Optional(
    Type.Array(Type.Object({ ...MemoryFields, summary: Type.String() }), {
      description: 'What else was written lately, newest first.',
    }),
  ),
  patterns: Type.Optional(Type.Array(Type.String(), { description: 'How things are usually done.' })),
  omitted: Type.Optional(Type.Integer({ description: 'Items that did not fit into maxTokens.' })),
  note: Type.Optional(Type.String()),
  missing: Type.Optional(
    Type.Array(Type.String(), { description: 'Sections that failed or took too long.' }),
  ),
});

type ContextOutput = Static<typeof ContextSchema>;

interface ContextAsked {
  readonly context: string;
  readonly files?: readonly string[];
  readonly recentHours?: number;
  readonly maxTokens: number;
}

/** The context of a task; as JSON at most `maxTokens` tokens of o200k. */
export async function contextFor(tool: ToolContext, asked: ContextAsked): Promise<ContextOutput> {
  const [built, countTokens] = await Promise.all([
    tool.services.briefing.context(tool.user, {
      context: asked.context.slice(0, contextLengthMax),
      files: [...new Set(asked.files ?? [])],
      recentHours: asked.recentHours ?? recentHoursDefault,
      tokenBudget: Math.max(asked.maxTokens - envelopeTokens, 0),
      deadlineMs: sectionDeadlineMs,
      onFailure: (_, error) => tool.onFailure(error),
    }),
    loadTokenCounter(),
  ]);
  return fitted(toOutput(built), asked.maxTokens, countTokens);
}

function toOutput(built: BuiltContext): ContextOutput {
  const {
    activeWork: active,
    gotchas,
    relatedPatterns,
    relevantFacts,
    timedOutSections,
    failedSections,
  } = built;
  const missing = [...timedOutSections, ...failedSections];
  const shown = new Set(built.relevantMemories.map(({ id }) => id));
  // A memory that is shown says its facts itself.
  const facts = relevantFacts.filter(({ sourceMemoryId }) => !shown.has(sourceMemoryId));
  const others = built.recentActivity.filter(({ id }) => !shown.has(id));
  const omitted = Object.values(built.omitted).reduce((sum, count) => sum + count, 0);
  const isEmpty = shown.size + missing.length + omitted === 0;
  return {
    ...(active && {
      activeWork: {
        conversationId: active.conversationId,
        ...(active.title !== null && { title: active.title }),
        lastActivity: toDate(active.lastActivity),
        last: active.lastMemory.summary,
      },
    }),
    memories: built.relevantMemories.map(({ id, at, content, isOpen, newer, files }) => ({
      id: shortId(id),
      at: toDate(at),
      content,
      ...(newer !== undefined && { newer: shortId(newer) }),
      ...(isOpen && { open: true }),
      ...(files.length > 0 && { files: [...files] }),
    })),
    ...(facts.length > 0 && { facts: facts.map(toSentence) }),
    ...(gotchas.length > 0 && { gotchas: gotchas.map(({ fact }) => fact) }),
    ...(built.open.length > 0 && { open: built.open.map(toItem) }),
    ...(others.length > 0 && { recent: others.map(toItem) }),
    ...(relatedPatterns.length > 0 && { patterns: relatedPatterns.map(({ pattern }) => pattern) }),
    ...(omitted > 0 && { omitted }),
    ...(missing.length > 0 && { missing }),
    ...(isEmpty && { note: 'Nothing was found.' }),
  };
}

const toItem = ({ id, at, summary }: Activity) => ({ id: shortId(id), at: toDate(at), summary });

const toSentence = ({ subject, predicate, object }: BuiltContext['relevantFacts'][number]) =>
  `${subject} ${predicate} ${object}`;

/** Sections in the order in which their last items are dropped. */
const droppedFirst = ['recent', 'open', 'facts', 'patterns', 'gotchas', 'memories'] as const;

/** The sections fit; if the members around them take more than the reserve, the last items are dropped. */
function fitted(made: ContextOutput, maxTokens: number, countTokens: CountTokens): ContextOutput {
  let output = made;
  const fits = () => countTokens(toJson(output)) <= maxTokens;
  for (const section of droppedFirst)
    for (let items = output[section] ?? []; items.length > 0 && !fits(); ) {
      items = items.slice(0, -1);
      output = { ...output, [section]: items, omitted: (output.omitted ?? 0) + 1 };
    }
  if (fits()) return output;
  const { activeWork: _, ...rest } = output;
  return { ...rest, omitted: (rest.omitted ?? 0) + 1 };
}

/** Agents of this API learned the name elsewhere, with arguments that we do not all have. */
export const buildContextTool = knownName({
  name: 'build_context',
  title: 'Briefing before work',
  description:
    'Call it before you change something: what is known about the work and its files, facts that several memories say (gotchas), what was written lately. For a question use `search`.',
  scope: 'read',
  properties: {
    context: Type.Optional(queryField('What you are about to do.')),
    query: Type.Optional(queryField('Another name of `context`.')),
    task: Type.Optional(queryField('Another name of `context`.')),
    files: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 1000 }), {
        maxItems: 100,
        description: 'Paths to touch: memories that name one come first.',
      }),
    ),
    recentHours: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 720, default: recentHoursDefault, description: 'Of `recent`.' }),
    ),
    ...budgetField,
  },
  output: ContextSchema,
  run: async (tool, { context, query, task, files, recentHours, maxTokens }) => {
    const about = context ?? query ?? task;
    if (about === undefined || about.trim() === '')
      throw invalidInput('context', 'is required: say what you are about to do');
    return contextFor(tool, { context: about, files, recentHours, maxTokens });
  },
});
