import type { FastifyRequest } from 'fastify';

/** Whether the request changes nothing: a GET or HEAD, or a POST that a key with the scope read may send. */
export function isRead({ method, routeOptions }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD' || routeOptions.config.scope === 'read';
}
