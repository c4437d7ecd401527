import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Route } from '../../route-plugin.ts';

const style = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 42rem; margin: 3rem auto; padding: 0 1rem; }
code, pre { font-family: ui-monospace, monospace; background: #8882; border-radius: 4px; padding: .1em .3em; }
pre { padding: .8em; overflow-x: auto; }
dt { font-weight: 600; margin-top: .6rem; }
:root { color-scheme: light dark; }
`;

const styleHash = createHash('sha256').update(style).digest('base64');

/** The page loads nothing, runs nothing, and cannot be framed; its one style is inline. */
const homePagePolicy =
  `default-src 'none'; style-src 'sha256-${styleHash}'; img-src data:; base-uri 'none'; form-action 'none'; ` +
  "frame-ancestors 'none'";

/**
 * The page at `/` for browsers: a description and links, no user data. @param address safe to put into HTML
 */
function homePage(version: string, address: string, ui: boolean): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>memoryd</title>
<style>${style}</style>
</head>
<body>
<h1>memoryd</h1>
<p>A self-hosted memory service for AI agents, version ${version}. It runs. This address is an HTTP API${
    ui ? '' : '; it has no pages to log in to'
  }.</p>
<dl>${
    ui
      ? '\n<dt><a href="/ui/">/ui/</a></dt>\n<dd>The explorer: see, correct and undo what agents know. <code>memoryd open</code> prints a link that is signed in.</dd>'
      : ''
  }
<dt><a href="/docs">/docs</a></dt>
<dd>Every endpoint, to read and to try. Press <em>Authorize</em> and paste an API key.</dd>
<dt><a href="/health">/health</a></dt>
<dd>Whether the service and its store work. <a href="/livez">/livez</a> is the liveness probe.</dd>
<dt><a href="/api/openapi.json">/api/openapi.json</a></dt>
<dd>The interface as an OpenAPI document, for generators of clients.</dd>
<dt><code>/mcp</code></dt>
<dd>Model Context Protocol for Claude Code, Cursor and other agents, with the same API key.</dd>
</dl>
<h2>Next steps</h2>
<ol>
<li>Find the first API key. The first start made it and wrote it to the file <code>first-key</code> in the data folder of
this machine: <code>data/first-key</code> in a checkout, <code>~/.local/share/memoryd/first-key</code> of an installed
package on Linux. <code>memoryd keys create --user NAME</code> makes others.</li>
<li>Store a memory and find it:
<pre>KEY=$(cat data/first-key)
curl -s ${address}/api/memories \\
  -H "Authorization: Bearer $KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"content": "Ana prefers the window seat"}'
curl -s "${address}/api/memories/search?q=which+seat" \\
  -H "Authorization: Bearer $KEY"</pre></li>
<li>Connect an agent: <code>memoryd init</code> prints what to paste into which client.</li>
</ol>
</body>
</html>
`;
}

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
export const home =
  ({ ui }: { readonly ui: boolean }): Route =>
  (app, { system }) => {
    const { version } = system;
    const record = {
      name: 'memoryd',
      description: 'A self-hosted memory service for AI agents.',
      version,
      links: {
        docs: '/docs',
        openapi: '/api/openapi.json',
        health: '/health',
        mcp: '/mcp',
        ...(ui && { explorer: '/ui/' }),
      },
    };
    app.get('/', { config: { public: true }, schema: { hide: true } }, async (request, reply) => {
      reply.header('Vary', 'Accept').header('Cache-Control', 'no-cache');
      if (!acceptsHtml(request)) return reply.send(record);
      return reply
        .header('Content-Security-Policy', homePagePolicy)
        .header('X-Content-Type-Options', 'nosniff')
        .header('Referrer-Policy', 'no-referrer')
        .type('text/html; charset=utf-8')
        .send(homePage(version, addressOf(request), ui));
    });
  };
