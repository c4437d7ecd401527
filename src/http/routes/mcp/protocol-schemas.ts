import type { FastifyRequest } from 'fastify';
import { Type } from '../../route-plugin.ts';

export const sessionHeaders = Type.Object({
  'mcp-session-id': Type.Optional(
    Type.String({ description: 'The session, as the response to initialize gave it.' }),
  ),
});

export function sessionIdOf({ headers }: FastifyRequest): string | undefined {
  const id = headers['mcp-session-id'];
  return typeof id === 'string' && id !== '' ? id : undefined;
}
