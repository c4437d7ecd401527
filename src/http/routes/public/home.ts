import type { FastifyRequest } from 'fastify';
import type { Route } from '../../route-plugin.ts';
import { homePage, homePagePolicy, homeRecord } from './home-page.ts';

/** Browsers name text/html; other clients take anything, or JSON. */
function acceptsHtml({ headers }: FastifyRequest): boolean {
  return headers.accept?.toLowerCase().includes('text/html') ?? false;
}

/** A name or address, and a port: nothing that a page would take for more than text. */
const plainHost = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/** Under which address the client reached this service; behind a proxy that is trusted, the proxy's. */
function addressOf({ protocol, host, socket }: FastifyRequest): string {
  const known = plainHost.test(host) ? host : `localhost:${socket.localPort ?? ''}`;
  return protocol === 'https' ? `https://${known}` : known;
}

/** GET /: says what this is, to anybody: it needs no key and knows of no user. */
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
