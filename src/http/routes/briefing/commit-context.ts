import type { Static } from 'typebox';
import {
  type CommitReport,
  type CommitSummary,
  commitTextLengthMax,
  summarizeCommit,
} from '../../../briefing/commit.ts';
import type { CreatedMemory } from '../../../domain/memories/create-memory.ts';
import { type Memory, sessionKeyLengthMax } from '../../../domain/memories/memory.ts';
import { AppError } from '../../../domain/shared/errors.ts';
import { parseTime } from '../../../domain/shared/time.ts';
import { keyedAct } from '../../keyed-act.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { described } from '../../schemas/envelope.ts';
import { etagOf } from '../../schemas/if-match.ts';
import { statedFields } from '../../schemas/memory-body.ts';
import { timeText } from '../../schemas/query.ts';

const count = Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }));
const shortText = Type.Optional(Type.String({ maxLength: 500 }));
const sayings = (description: string) =>
  Type.Optional(Type.Array(Type.String({ maxLength: 50_000 }), { maxItems: 100, description }));

const Git = Type.Object({
  sha: Type.String({
    pattern: '^[0-9a-fA-F]{7,64}$',
    rule: 'must be 7 to 64 hexadecimal digits',
    description: 'A second report of the same commit makes no second memory.',
  }),
  shortSha: Type.Optional(Type.String({ maxLength: 64 })),
  branch: shortText,
  message: Type.String({ minLength: 1 }),
  author: shortText,
  timestamp: Type.Optional(timeText('When it was made.')),
  filesChanged: Type.Optional(Type.Array(Type.String({ maxLength: 4096 }), { maxItems: 10_000 })),
  insertions: count,
  deletions: count,
  isMergeCommit: Type.Optional(Type.Boolean()),
});

const Session = Type.Object({
  agent: shortText,
  model: shortText,
  sessionId: Type.Optional(
    Type.String({
      maxLength: sessionKeyLengthMax,
      description: 'The memory joins the conversation of this agent session; absent: one of its own.',
    }),
  ),
  toolCalls: Type.Optional(
    Type.Array(Type.Object({ name: Type.String({ maxLength: 500 }), count: Type.Integer({ minimum: 0 }) }), {
      maxItems: 1000,
    }),
  ),
  totalToolCalls: count,
  recentPrompts: sayings('What people asked for.'),
  errors: sayings('What failed on the way.'),
});

const CommitBody = Type.Object(
  {
    git: Git,
    session: Type.Optional(Session),
    diff: Type.Optional(Type.String({ description: 'As `git show` prints it.' })),
    transcript: Type.Optional(
      Type.String({ description: 'Of the session: text, or a line of JSON for each message.' }),
    ),
    codeContext: statedFields.codeContext,
  },
  {
    examples: [
      {
        git: {
          sha: '9f3c2a1b7d5e4f60718293a4b5c6d7e8f9012345',
          branch: 'main',
          message: 'Retry failed jobs three times\n\nBecause the queue of the provider is away for minutes.',
          author: 'Ana',
          timestamp: '2026-02-01T09:30:00Z',
          filesChanged: ['src/jobs/queue.ts', 'test/jobs/queue.test.ts'],
          insertions: 41,
          deletions: 7,
        },
      },
    ],
  },
);

const CommitResponseSchema = Type.Object({
  data: Type.Object({
    memoryId: Type.Optional(Type.String({ description: 'Absent where nothing was stored.' })),
    content: Type.String(),
    context: Type.String(),
    topics: Type.Array(Type.String()),
    skipped: Type.Optional(Type.Boolean({ description: 'True where there is nothing to remember.' })),
    skipReason: Type.Optional(Type.String()),
  }),
});

type CommitRequestBody = Static<typeof CommitBody>;
type CommitRecord = Static<typeof CommitResponseSchema>;

/** @throws 413 naming the text that is too long */
function toCommitReport({ git, session, diff, transcript }: CommitRequestBody): CommitReport {
  assertFits(git.message, 'git.message');
  assertFits(diff, 'diff');
  assertFits(transcript, 'transcript');
  return { git: { ...git, filesChanged: git.filesChanged ?? [] }, session, diff, transcript };
}

function assertFits(text: string | undefined, field: string): void {
  if (text === undefined || text.length <= commitTextLengthMax) return;
  throw new AppError(
    'CONTENT_TOO_LONG',
    `${field} is ${text.length} characters long; it may have ${commitTextLengthMax} (UTF-16 units).`,
    { details: { length: text.length, lengthMax: commitTextLengthMax } },
  );
}

function toStoredCommit({ id, content, context, topics }: Memory): CommitRecord {
  return { data: { memoryId: id, content, context: context ?? '', topics: [...topics] } };
}

function toSkippedCommit({ content, context, topics, skipReason }: CommitSummary): CommitRecord {
  return { data: { content, context, topics: [...topics], skipped: true, skipReason } };
}

const toResponse = ({ memory, isExisting }: CreatedMemory) => ({
  status: isExisting ? (200 as const) : (201 as const),
  body: toStoredCommit(memory),
  etag: etagOf(memory),
});

/** The memory of a commit that is worth one. */
function toNewMemory({ git, codeContext }: CommitRequestBody, summary: CommitSummary) {
  return {
    content: summary.content,
    context: summary.context,
    topics: summary.topics,
    memoryType: 'episodic' as const,
    eventTime: git.timestamp === undefined ? undefined : parseTime(git.timestamp, 'git.timestamp'),
    codeContext,
    metadata: {
      commit: {
        sha: git.sha.toLowerCase(),
        ...(git.branch !== undefined && { branch: git.branch }),
        ...(git.author !== undefined && { author: git.author }),
      },
    },
  };
}

export const createCommitContext: Route = (app, { memories }) =>
  app.post(
    '/api/commit-context',
    {
      schema: {
        operationId: 'createCommitContextMemory',
        tags: ['Briefing'],
        summary: 'Remember a commit',
        description:
          'For hooks of git, such as `mx hook post-commit`. Makes a memory of a commit from the words of its message, the ' +
          'files changed by folder, and, of the session that led to it, prompts, decisions and errors; what looks like ' +
          'a key or a password is left out. No language model is asked. The same commit again returns its memory.',
        body: CommitBody,
        response: {
          200: described(CommitResponseSchema, 'The memory that the commit has already, or why it has none.'),
          201: described(CommitResponseSchema, 'The memory, with the topic `commit-context`.'),
        },
      },
    },
    async (request, reply) => {
      const { user, body } = request;
      const { git, session } = body;
      const summary = summarizeCommit(toCommitReport(body));
      if (summary.skipReason !== undefined) return reply.code(200).send(toSkippedCommit(summary));
      const created = await memories.create(
        user,
        toNewMemory(body, summary),
        {
          externalId: `commit:${git.sha.toLowerCase()}`,
          ...(session?.sessionId ? { agentSessionId: session.sessionId } : { conversationId: 'NEW' }),
        },
        keyedAct(request, reply, 201, toResponse),
      );
      const { status, body: made, etag } = toResponse(created);
      return reply.code(status).header('ETag', etag).send(made);
    },
  );
