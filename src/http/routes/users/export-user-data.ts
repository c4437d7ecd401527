import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { userGone } from '../../../domain/shared/errors.ts';
import { toIso } from '../../../domain/shared/time.ts';
import { otherWork } from '../../../lib/loop-time.ts';
import { toLoggedFailure } from '../../log.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { ConversationSchema } from '../../schemas/conversation.ts';
import { errorResponses } from '../../schemas/envelope.ts';
import { FactSchema } from '../../schemas/fact.ts';
import { MemorySchema } from '../../schemas/memory.ts';
import { PatternSchema } from '../../schemas/pattern.ts';
import { toUserRecord, UserSchema } from '../../schemas/user.ts';
import { type ExportSection, exportSections } from './export-sections.ts';

const exportVersion = '1.0';
/** Maximum of unread bytes for a slow client: two pieces, and the buffers of streams and system. */
const unreadBytesMax = 4 * 1024 * 1024;

const Archive = Type.Object(
  {
    exportVersion: Type.String(),
    exportedAt: Type.String(),
    profile: UserSchema,
    memories: Type.Array(MemorySchema, { description: 'In order of writing, every version of a name.' }),
    conversations: Type.Array(ConversationSchema),
    facts: Type.Array(FactSchema),
    patterns: Type.Array(PatternSchema),
    counts: Type.Object({
      memories: Type.Integer(),
      conversations: Type.Integer(),
      facts: Type.Integer(),
      patterns: Type.Integer(),
    }),
  },
  {
    description:
      'The archive. `counts` comes last, with what was written: an archive without it was cut off.',
  },
);

/** The text of an archive, read while it is written. */
async function* archiveText(head: object, sections: readonly ExportSection[]): AsyncGenerator<string> {
  const counts: Record<string, number> = {};
  yield JSON.stringify(head).slice(0, -1);
  for (const { name, pieces } of sections) {
    counts[name] = 0;
    yield `,"${name}":[`;
    for await (const records of pieces()) {
      const comma = counts[name] === 0 ? '' : ',';
      counts[name] += records.length;
      yield comma + records.map((record) => JSON.stringify(record)).join(',');
      await otherWork();
    }
    yield ']';
  }
  yield `,"counts":${JSON.stringify(counts)}}`;
}

/** A failure after the response began can only end it: the log has the cause, without texts of records. */
async function* logged(request: FastifyRequest, text: AsyncIterable<string>): AsyncGenerator<string> {
  try {
    yield* text;
  } catch (error) {
    request.log.error({ requestId: request.id, failure: toLoggedFailure(error) }, 'an export was cut off');
    throw new Error('The export failed.', { cause: undefined });
  }
}

export const exportUserData: Route = (app, { users, stores, clock }) => {
  app.get(
    '/api/users/me/export',
    {
      exposeHeadRoute: false,
      schema: {
        operationId: 'exportUserData',
        tags: ['Users'],
        summary: 'Export what the user of this key has stored, as JSON',
        description:
          'All memories, conversations, facts and patterns that are not in the trash, in one JSON document, sent as it is read: ' +
          'what is written meanwhile may be in it or not. For moving to another store, with versions, relationships, ' +
          'narratives and everything else of one moment, there is `memoryd export` (docs/export.md).',
        response: { 200: Archive, ...errorResponses },
      },
    },
    async (request, reply) => {
      const user = await users.find(request.user.id);
      if (!user) throw userGone();
      const head = { exportVersion, exportedAt: toIso(clock.now()), profile: toUserRecord(user) };
      const text = archiveText(head, exportSections(stores.forUser(user), user));
      request.countUnread(reply.raw, unreadBytesMax);
      return reply
        .type('application/json; charset=utf-8')
        .header('Content-Disposition', 'attachment; filename="memoryd-export.json"')
        .send(Readable.from(logged(request, text)) as never);
    },
  );
};
