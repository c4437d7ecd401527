import { summarizeCommit } from '../../../briefing/commit/summarize-commit.ts';
import type { CreatedMemory } from '../../../domain/memories/create-memory.ts';
import { parseTime } from '../../../domain/shared/time.ts';
import { keyedAct } from '../../keyed-act.ts';
import type { Route } from '../../route-plugin.ts';
import {
  CommitBody,
  CommitResponseSchema,
  toCommitReport,
  toSkippedCommit,
  toStoredCommit,
} from '../../schemas/commit.ts';
import { described, errorResponses } from '../../schemas/envelope.ts';
import { etagOf } from '../../schemas/if-match.ts';

const toResponse = ({ memory, isExisting }: CreatedMemory) => ({
  status: isExisting ? (200 as const) : (201 as const),
  body: toStoredCommit(memory),
  etag: etagOf(memory),
});

export const createCommitContext: Route = (app, { memories }) => {
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
          ...errorResponses,
        },
      },
    },
    async (request, reply) => {
      const { user, body } = request;
      const { git, session, codeContext } = body;
      const summary = summarizeCommit(toCommitReport(body));
      if (summary.skipReason !== undefined) return reply.code(200).send(toSkippedCommit(summary));
      const created = await memories.create(
        user,
        {
          content: summary.content,
          context: summary.context,
          topics: summary.topics,
          memoryType: 'episodic',
          eventTime: git.timestamp === undefined ? undefined : parseTime(git.timestamp, 'git.timestamp'),
          codeContext,
          metadata: {
            commit: {
              sha: git.sha.toLowerCase(),
              ...(git.branch !== undefined && { branch: git.branch }),
              ...(git.author !== undefined && { author: git.author }),
            },
          },
        },
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
};
