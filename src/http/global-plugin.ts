import type { FastifyInstance, FastifyPluginAsync } from 'fastify';

/** A plugin whose hooks and decorators apply to the whole app, not only to routes registered inside it. */
export function globalPlugin<O extends object = Record<never, never>>(
  name: string,
  register: (app: FastifyInstance, options: O) => Promise<void>,
): FastifyPluginAsync<O> {
  return Object.assign(register, {
    [Symbol.for('skip-override')]: true,
    [Symbol.for('fastify.display-name')]: name,
  });
}
