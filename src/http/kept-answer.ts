import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../domain/shared/errors.ts';
import type { Alongside } from '../domain/shared/write.ts';

const created = 201;

/**
 * For a request with an `Idempotency-Key`: stores its answer in the transaction of what it does, so that no crash comes
 * between the two. Absent without a key. Answers of other endpoints are stored after their transaction.
 * @param toBody the body of the 201, as the handler will send it
 */
export function keptAnswer<T>(
  { keyed }: FastifyRequest,
  reply: FastifyReply,
  toBody: (done: T) => unknown,
): Alongside<T> | undefined {
  if (!keyed) return undefined;
  const { key, fingerprint } = keyed;
  return async ({ tx, at }, done) => {
    const body = String(reply.code(created).serialize(toBody(done)));
    const isFirst = await tx.answers.save(key, { fingerprint, status: created, body, createdAt: at });
    // Another process of the same store did it in this moment: its answer is there when the client asks again.
    if (!isFirst)
      throw new AppError('STORAGE_UNAVAILABLE', 'The same request is being done.', { retryAfter: 1 });
    keyed.kept = true;
  };
}
