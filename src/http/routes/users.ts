import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import type { Memory } from '../../domain/memories/memory.ts';
import { userGone } from '../../domain/shared/errors.ts';
import type { UserReaders } from '../../domain/shared/stores.ts';
import { type EpochMs, toIso } from '../../domain/shared/time.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import type { User } from '../../domain/users/user.ts';
import { otherWork } from '../../lib/loop-time.ts';
import { toLoggedFailure } from '../log.ts';
import { type Route, Type } from '../route-plugin.ts';
import { component } from '../schemas/component.ts';
import { bodyOf, dataOf } from '../schemas/envelope.ts';
import { MemorySchema, toMemoryRecord } from '../schemas/memory.ts';
import { PatternSchema, toPatternRecord } from '../schemas/pattern.ts';
import { ConversationSchema, FactSchema, toConversationRecord, toFactRecord } from '../schemas/records.ts';

const absent = Type.Null();

const UserSchema = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    firstName: absent,
    lastName: absent,
    profilePictureUrl: absent,
    status: Type.String(),
    plan: Type.String(),
    memoryLimit: Type.Integer(),
    retentionDays: absent,
    isTestUser: Type.Boolean(),
    isPreviewUser: Type.Boolean(),
    isInternalUser: Type.Boolean(),
    deletionStatus: Type.String(),
    deletionScheduledFor: absent,
    createdAt: Type.String(),
    updatedAt: Type.String(),
  },
  component('User'),
);

const UsageSchema = Type.Object(
  {
    memoriesUsed: Type.Integer(),
    memoryLimit: Type.Integer(),
    memoriesRemaining: Type.Integer(),
    percentUsed: Type.Number(),
    plan: Type.String(),
    quotaBasis: Type.String(),
    periodStart: Type.String(),
    periodEnd: Type.String(),
  },
  component('Usage'),
);

/** A self-hosted service has no limit; clients expect a number. */
const unlimited = Number.MAX_SAFE_INTEGER;
const plan = 'enterprise';

function toUserRecord(user: User): Static<typeof UserSchema> {
  return {
    id: user.publicId,
    email: user.email,
    firstName: null,
    lastName: null,
    profilePictureUrl: null,
    status: 'active',
    plan,
    memoryLimit: unlimited,
    retentionDays: null,
    isTestUser: false,
    isPreviewUser: false,
    isInternalUser: false,
    deletionStatus: 'none',
    deletionScheduledFor: null,
    createdAt: toIso(user.createdAt),
    updatedAt: toIso(user.updatedAt),
  };
}

/** @param used number of memories that are not in the trash */
function toUsageRecord(used: number, now: number): Static<typeof UsageSchema> {
  const month = monthOf(now);
  return {
    memoriesUsed: used,
    memoryLimit: unlimited,
    memoriesRemaining: unlimited - used,
    percentUsed: 0,
    plan,
    quotaBasis: 'monthly',
    periodStart: month.start,
    periodEnd: month.end,
  };
}

function monthOf(now: number): { start: string; end: string } {
  const date = new Date(now);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return { start: toIso(Date.UTC(year, month, 1)), end: toIso(Date.UTC(year, month + 1, 1)) };
}

const getCurrentUser: Route = (app, { users, stores, clock }) =>
  app.get(
    '/api/users/me',
    {
      config: { scope: 'any' },
      schema: {
        operationId: 'getCurrentUser',
        tags: ['Users'],
        summary: 'Show the user of this key',
        description:
          'Any valid key may ask. Limits and plan are there for clients of hosted services; this service sets none.',
        response: {
          200: bodyOf('The user, and how much is stored.', { data: UserSchema, usage: UsageSchema }),
        },
      },
    },
    async (request) => {
      const user = await users.find(request.user.id);
      if (!user) throw userGone();
      const used = await stores.forUser(user).memories.count();
      return { data: toUserRecord(user), usage: toUsageRecord(used, clock.now()) };
    },
  );

const getUsage: Route = (app, { stores, clock }) =>
  app.get(
    '/api/users/me/usage',
    {
      config: { scope: 'any' },
      schema: {
        operationId: 'getCurrentUserUsage',
        tags: ['Users'],
        summary: 'Show how much the user of this key has stored',
        description:
          'Any valid key may ask. Limits, plan and period are there for clients of hosted services; this service sets none.',
        response: {
          200: dataOf(UsageSchema, 'How many memories are stored, those in the trash not counted.'),
        },
      },
    },
    async ({ user }) => ({
      data: toUsageRecord(await stores.forUser(user).memories.count(), clock.now()),
    }),
  );

/** A list of an archive, read and written a piece at a time. */
interface ExportSection {
  readonly name: string;
  /** Records as clients see them, in pieces; each piece is read after the previous one was written. */
  pieces(): AsyncIterable<readonly object[]>;
}

/** A memory may have 50,000 characters: 25 of them have 1.2 M at most. */
const memoriesAtOnce = 25;
const recordsAtOnce = 200;

/** Reads a list by its key: writes and deletes between two pieces shift nothing. */
async function* byKey<T, K>(
  first: K,
  keyOf: (item: T) => K,
  read: (after: K) => Promise<readonly T[]>,
): AsyncGenerator<readonly T[]> {
  for (let after = first; ; ) {
    const items = await read(after);
    const last = items.at(-1);
    if (last === undefined) return;
    yield items;
    after = keyOf(last);
  }
}

async function* mapPieces<T>(pieces: AsyncIterable<readonly T[]>, toRecord: (item: T) => object) {
  for await (const items of pieces) yield items.map(toRecord);
}

/** All lists of a user's archive, in order. */
function exportSections(
  { memories, conversations, facts, patterns }: UserReaders,
  user: UserRef,
  at: EpochMs,
): readonly ExportSection[] {
  const seqOf = ({ seq }: Memory) => seq;
  const idOf = ({ id }: { readonly id: string }) => id;
  const allMemories = () => byKey(-1, seqOf, (after) => memories.listAfter(after, memoriesAtOnce));
  const allConversations = () => byKey('', idOf, (after) => conversations.listAfter(after, recordsAtOnce));
  const allFacts = () => byKey('', idOf, (after) => facts.listAfter(after, recordsAtOnce));
  const allPatterns = () => byKey('', idOf, (after) => patterns.listAfter(after, recordsAtOnce));
  return [
    { name: 'memories', pieces: () => mapPieces(allMemories(), toMemoryRecord) },
    { name: 'conversations', pieces: () => mapPieces(allConversations(), toConversationRecord) },
    { name: 'facts', pieces: () => mapPieces(allFacts(), (fact) => toFactRecord(fact, user, at)) },
    { name: 'patterns', pieces: () => mapPieces(allPatterns(), toPatternRecord) },
  ];
}

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

const exportUserData: Route = (app, { users, stores, clock }) =>
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
        response: { 200: Archive },
      },
    },
    async (request, reply) => {
      const user = await users.find(request.user.id);
      if (!user) throw userGone();
      const at = clock.now();
      const head = { exportVersion, exportedAt: toIso(at), profile: toUserRecord(user) };
      const text = archiveText(head, exportSections(stores.forUser(user), user, at));
      request.countUnread(reply.raw, unreadBytesMax);
      return reply
        .type('application/json; charset=utf-8')
        .header('Content-Disposition', 'attachment; filename="memoryd-export.json"')
        .send(Readable.from(logged(request, text)) as never);
    },
  );

export const userRoutes: readonly Route[] = [getCurrentUser, getUsage, exportUserData];
