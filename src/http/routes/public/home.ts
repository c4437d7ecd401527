import type { FastifyRequest } from 'fastify';
import type { Route } from '../../route-plugin.ts';
import { homePage, homePagePolicy, homeRecord } from './home-page.ts';

/** Browsers name text/html; other clients take anything, or JSON. */
function acceptsHtml({ headers }: FastifyRequest): boolean {
  return headers.accept?.toLowerCase().includes('text/html') ?? false;
}

/** A name or address, and a port: plain text in HTML. */
const plainHost = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/** The address by which the client reached this service; behind a trusted proxy, the proxy's. */
function addressOf({ protocol, host, socket }: FastifyRequest): string {
  const known = plainHost.test(host) ? host : `localhost:${socket.localPort ?? ''}`;
  return protocol === 'https' ? `https://${known}` : known;
}

/** GET /: describes the service to anybody: it needs no key and shows no user data. */
export const home: Route = (app, { system }) => {
  const record = homeRecord(system.version);
  app.get('/', { config: { public: true }, schema: { hide: true } }, async (request, reply) => {
    reply.header('Vary', 'Accept').header('Cache-Control', 'no-cache');
    if (!acceptsHtml(request)) return reply.send(record);
    return reply
      .header('Content-Security-Policy', homePagePolicy)
      .header('X-Content-Type-Options', 'nosniff')
      .header('Referrer-Policy', 'no-referrer')
      .type('text/html; charset=utf-8')
      .send(homePage(system.version, addressOf(request)));
  });
};
