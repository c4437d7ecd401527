import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../domain/shared/errors.ts';
import {
  idempotencyLifetimeMs,
  type StoredResponse,
  unfinished,
} from '../domain/shared/idempotency-store.ts';
import type { KeyedAct, Write } from '../domain/shared/write.ts';
import { withIgnored } from './ignored-fields.ts';

/** A request with an `Idempotency-Key`, while it runs. */
export interface Keyed {
  readonly key: string;
  readonly fingerprint: string;
  /** The stored response, which a repetition gets; undefined until a transaction stored it. */
  stored: StoredResponse | undefined;
}

/** Ends the handler of a repeated request: the client gets the response stored by this process or another. */
export class AlreadyRespondedError extends Error {
  readonly response: StoredResponse;

  constructor(response: StoredResponse) {
    super('The request was responded to before.');
    this.name = 'AlreadyRespondedError';
    this.response = response;
  }
}

/** @throws 422 if the key was used with another request */
export function assertSameRequest(stored: StoredResponse, { fingerprint }: Pick<Keyed, 'fingerprint'>): void {
  if (stored.fingerprint === fingerprint) return;
  throw new AppError('IDEMPOTENCY_KEY_REUSED', 'Idempotency-Key was used before with another path or body.');
}

interface ResponseContent {
  readonly body: unknown;
  readonly etag?: string;
  /** The status of the response, if it depends on the result. */
  readonly status?: number;
}

/**
 * For a request with an `Idempotency-Key`: the `KeyedAct` that stores the response in the transaction
 * of the change; undefined without a key. Every POST that changes something passes one to its service.
 * @param status of the response to a repetition
 * @param toResponse body of the response to a repetition
 */
export function keyedAct<T>(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  toResponse: (done: T) => ResponseContent,
): KeyedAct<T> | undefined {
  const { keyed, ignored } = request;
  if (!keyed) return undefined;
  return actOf(keyed, async (done: T, save) => {
    const { body, etag = null, status: own = status } = toResponse(done);
    const text = body === null ? '' : String(reply.code(own).serialize(withIgnored(body, ignored)));
    keyed.stored = await save({ status: own, body: text, etag });
  });
}

/**
 * The `KeyedAct` of one of the transactions of a request that responds to each as it is done; undefined without a
 * key. What is stored for a part is found again if the repetition has the same records in it.
 * @param part number of the transaction and a hash of its records
 * @param toText text for a repetition, which is `body` of `AlreadyRespondedError.response`
 */
export function keyedActOfPart<T>(
  { keyed }: FastifyRequest,
  part: { readonly number: number; readonly fingerprint: string },
  toText: (done: T) => string,
): KeyedAct<T> | undefined {
  if (!keyed) return undefined;
  // No key of a client has a space.
  const own = { key: `${keyed.key} ${part.number}`, fingerprint: part.fingerprint };
  return actOf(own, async (done: T, save) => {
    await save({ status: 200, body: toText(done), etag: null });
  });
}

type Save = (content: Pick<StoredResponse, 'status' | 'body' | 'etag'>) => Promise<StoredResponse>;

function actOf<T>(
  keyed: Pick<Keyed, 'key' | 'fingerprint'>,
  finish: (done: T, save: Save) => Promise<void>,
): KeyedAct<T> {
  const { key, fingerprint } = keyed;
  const saveIn =
    ({ tx, at }: Write): Save =>
    async (content) => {
      const response = { fingerprint, ...content, createdAt: at };
      const stored = await tx.responses.save(key, response);
      if (stored !== response) {
        assertSameRequest(stored, keyed);
        throw new AlreadyRespondedError(stored);
      }
      return response;
    };
  return {
    begin: async ({ tx, at }) => {
      const stored = await tx.responses.find(key);
      if (!stored) return undefined;
      if (stored.createdAt <= at - idempotencyLifetimeMs) {
        await tx.responses.remove(key);
        return undefined;
      }
      assertSameRequest(stored, keyed);
      if (stored.status === unfinished) return stored.body;
      throw new AlreadyRespondedError(stored);
    },
    note: async (write, progress) =>
      void (await saveIn(write)({ status: unfinished, body: progress, etag: null })),
    finish: (write, done) => finish(done, saveIn(write)),
  };
}

export const noContent = 204;

/** Sends the stored response of an earlier request. */
export function replay(reply: FastifyReply, { status, body, etag }: StoredResponse): FastifyReply {
  reply.header('Idempotency-Replayed', 'true').code(status);
  if (etag !== null) reply.header('ETag', etag);
  if (status === noContent) return reply.send();
  return reply
    .type('application/json; charset=utf-8')
    .serializer((text: unknown) => text as string)
    .send(body);
}
