import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import {
  type Change,
  type ChangePosition,
  changeActions,
  changeKinds,
  changesKept,
} from '../../domain/changes/change.ts';
import type { ChangeFeed, ChangePage } from '../../domain/changes/change-feed.ts';
import { assertPosition, cursorLengthMax, fromCursor, toCursor } from '../../domain/shared/cursor.ts';
import { AppError, invalidInput } from '../../domain/shared/errors.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import { WakeSignal } from '../../lib/async.ts';
import { loggedAppError } from '../errors.ts';
import { EventStream, heartbeatMsOf } from '../event-stream.ts';
import { type Route, Type } from '../route-plugin.ts';
import { component } from '../schemas/component.ts';
import { described } from '../schemas/envelope.ts';
import { oneOf } from '../schemas/query.ts';
import type { AppServices } from '../services.ts';

const limitMax = 1000;
const limitDefault = 100;
const perEvents = 100;
const streamsPerUserMax = 16;
const retryAfter = 5;
const now = 'now';

export const ChangeKind = oneOf(changeKinds, component('ChangeKind'));
export const ChangeAction = oneOf(changeActions, {
  ...component('ChangeAction'),
  description:
    'derived: what is known of a memory was derived from its text, which is as before; failed: a job was given up (`GET /api/system/jobs`).',
});

const ChangeSchema = Type.Object(
  {
    cursor: Type.String({ description: '`since` that goes on behind this change.' }),
    kind: ChangeKind,
    action: ChangeAction,
    id: Type.String({ description: 'Of the record; for a candidate, of the newer of its memories.' }),
  },
  component('Change'),
);

const ChangesSchema = Type.Object(
  {
    data: Type.Array(ChangeSchema),
    next: Type.String({ description: 'The `since` of the next request, also where `data` is empty.' }),
    hasMore: Type.Boolean({ description: 'True if more changes are there already.' }),
  },
  component('Changes'),
);

const cursorOfChange = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: cursorLengthMax, description }));

const Query = Type.Object({
  since: cursorOfChange(
    '`next` or `cursor` of an earlier response; `now`: only what changes from now on. Without it, everything that is kept.',
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: limitMax, default: limitDefault })),
});

const scopeOf = (user: UserRef) => ['changes', user.id];

const cursorAt = (user: UserRef, { rev, part }: ChangePosition) => toCursor([rev, part], scopeOf(user));

/** @throws 422 */
function positionOf(user: UserRef, cursor: string, field: 'since' | 'Last-Event-ID'): ChangePosition {
  try {
    const position = fromCursor(cursor, scopeOf(user));
    assertPosition(position, 'integer', 'integer');
    const [rev, part] = position;
    return { rev: Number(rev), part: Number(part) };
  } catch {
    // The refusals of other lists name the field `cursor`.
    throw invalidInput(field, 'must be a cursor of the changes of this user');
  }
}

function toChange(user: UserRef, { rev, part, kind, action, id }: Change): Static<typeof ChangeSchema> {
  return { cursor: cursorAt(user, { rev, part }), kind, action, id };
}

const listChanges: Route = (app, { changes }) =>
  app.get(
    '/api/changes',
    {
      schema: {
        operationId: 'listChanges',
        tags: ['Changes'],
        summary: 'List what changed since a cursor',
        description:
          'Records that were created, changed, deleted, restored, erased or derived, in the order of the commits: a ' +
          'reader that passes `next` on skips none and gets none twice, whatever is written meanwhile. Ids only: the ' +
          `record may have changed again since. Changes of the last ${changesKept.toLocaleString('en')} revisions are kept; an older cursor is ` +
          'refused with 410 `CHANGES_EXPIRED`. docs/clients.md tells more.',
        querystring: Query,
        response: { 200: described(ChangesSchema, 'The changes after `since`, the first first.') },
      },
    },
    async ({ user, query: { since, limit = limitDefault } }) => {
      const page = await pageAfter(changes, user, since, limit);
      return {
        data: page.changes.map((change) => toChange(user, change)),
        next: cursorAt(user, page.next),
        hasMore: page.hasMore,
      };
    },
  );

async function pageAfter(changes: ChangeFeed, user: UserRef, since: string | undefined, limit: number) {
  if (since === undefined) return changes.read(user, await changes.begin(user), limit);
  if (since !== now) return changes.read(user, positionOf(user, since, 'since'), limit);
  return { changes: [], next: await changes.end(user), hasMore: false };
}

const ChangeEvent = Type.Object({
  id: Type.Optional(Type.String({ description: 'A cursor: `Last-Event-ID` of the next request.' })),
  event: oneOf(['open', 'change', 'end', 'error']),
  data: Type.String({ description: 'JSON: `{}`, a change, or `{error, code, statusCode}`.' }),
});

/** Streams that are open, so that a stop of the server ends them and no user has too many. */
class OpenStreams {
  readonly #ends = new Map<number, Set<AbortController>>();
  #isStopping = false;

  /** @throws 503 if the user has the maximum */
  open(userId: number): AbortController {
    const own = this.#ends.get(userId) ?? new Set();
    if (this.#isStopping || own.size >= streamsPerUserMax)
      throw new AppError('OVERLOADED', `A user may have ${streamsPerUserMax} streams of changes at a time.`, {
        retryAfter,
      });
    const end = new AbortController();
    this.#ends.set(userId, own.add(end));
    return end;
  }

  close(userId: number, end: AbortController): void {
    const own = this.#ends.get(userId);
    own?.delete(end);
    if (own?.size === 0) this.#ends.delete(userId);
  }

  stop(): void {
    this.#isStopping = true;
    for (const own of this.#ends.values()) for (const end of own) end.abort(stopping);
  }
}

const stopping = new AppError('SERVER_STOPPING', 'The server is stopping.', { retryAfter });
const unread = new AppError(
  'OVERLOADED',
  'The events of this stream are not read: go on with `Last-Event-ID`.',
  {
    retryAfter,
  },
);
const keyEnded = new AppError('AUTHENTICATION_REQUIRED', 'The key of this stream ended.');

interface Followed {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly signal: AbortSignal;
  readonly heartbeatMs: number;
}

/** Sends changes until the client goes away, the key ends, the client does not read, or the server stops. */
async function follow(
  { changes, keys }: AppServices,
  { request, reply, signal, heartbeatMs }: Followed,
  first: ChangePosition,
): Promise<void> {
  const { user, apiKey } = request;
  const key = request.headers.authorization?.replace(/^Bearer +/i, '') ?? '';
  const woken = new WakeSignal();
  const unsubscribe = changes.subscribe(user, () => woken.set());
  const stream = new EventStream(request, reply);
  const untilExpiry = () => (apiKey.expiresAt === null ? heartbeatMs : apiKey.expiresAt - Date.now());
  try {
    stream.begin();
    stream.stopCounting();
    stream.send('open', {}, cursorAt(user, first));
    for (let after = first; !signal.aborted; ) {
      if (!(await keys.isKnown(key))) throw keyEnded;
      const page: ChangePage = await changes.read(user, after, perEvents);
      after = page.next;
      for (const change of page.changes) {
        const { cursor, ...event } = toChange(user, change);
        stream.send('change', event, cursor);
      }
      if (!(await stream.drained(heartbeatMs, signal))) throw unread;
      if (page.hasMore) continue;
      await woken.next(Math.max(1, Math.min(heartbeatMs, untilExpiry())), signal);
      if (page.changes.length === 0) stream.beat();
    }
    if (signal.reason === stopping) throw stopping;
  } catch (thrown) {
    const { message: error, code, status: statusCode } = loggedAppError(request, thrown);
    stream.send('end', { error, code, statusCode, requestId: request.id });
    if (thrown === unread) reply.raw.destroy();
  } finally {
    unsubscribe();
    stream.end();
  }
}

function streamChanges({ connectionTimeoutMs }: { readonly connectionTimeoutMs: number }): Route {
  const heartbeatMs = heartbeatMsOf(connectionTimeoutMs);
  return (app, services) => {
    const streams = new OpenStreams();
    app.addHook('preClose', async () => streams.stop());
    app.get(
      '/api/events',
      {
        schema: {
          operationId: 'streamChanges',
          tags: ['Changes'],
          summary: 'Follow what changes, as a stream of events',
          description:
            'Server-sent events: `open`, then a `change` for each of `GET /api/changes`, within a moment of its commit, ' +
            'by whichever process of the service; a comment at least every 10 s. The `id` of an event, sent as ' +
            '`Last-Event-ID`, goes on behind it, without a gap; without it the stream begins now. `end` says why the ' +
            `service ended the stream: the key ended, nothing was read, or it stops. A user has ${streamsPerUserMax} streams at most.`,
          headers: Type.Object({
            'last-event-id': cursorOfChange('The `id` of the last event, or a cursor of `GET /api/changes`.'),
          }),
          response: {
            200: {
              description: 'The events, until the client goes away or `end`.',
              content: { 'text/event-stream': { schema: ChangeEvent } },
            },
          },
        },
      },
      async (request, reply) => {
        const { user, headers } = request;
        const { changes } = services;
        const last = headers['last-event-id'];
        const first = last === undefined ? await changes.end(user) : positionOf(user, last, 'Last-Event-ID');
        // Refuses a cursor that is too old before the stream begins.
        await changes.read(user, first, 1);
        const end = streams.open(user.id);
        request.whenClosed(() => {
          streams.close(user.id, end);
          end.abort();
        });
        void follow(services, { request, reply, signal: end.signal, heartbeatMs }, first);
        return reply;
      },
    );
  };
}

export const changeRoutes = (options: { readonly connectionTimeoutMs: number }): readonly Route[] => [
  listChanges,
  streamChanges(options),
];
