import type { FastifyInstance, FastifyPluginAsync } from 'fastify';

/** A plugin whose hooks and decorators count for the whole app, not only for routes registered inside it. */
export function globalPlugin<O extends object = Record<never, never>>(
  name: string,
  register: (app: FastifyInstance, options: O) => Promise<void>,
): FastifyPluginAsync<O> {
  return Object.assign(register, {
    [Symbol.for('skip-override')]: true,
    [Symbol.for('fastify.display-name')]: name,
  });
}
