import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import files from '@fastify/static';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../../domain/shared/errors.ts';
import type { Route } from '../../route-plugin.ts';

/** The build puts the page here. */
const folder = fileURLToPath(new URL('../../../../dist/ui/', import.meta.url));

/** The page loads from this server only, and no text can become HTML or a script. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const headers: Readonly<Record<string, string>> = {
  'Content-Security-Policy': policy,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
};

/** The name has a hash of the content. All other paths are views, which the page itself knows. */
const asset = /^assets\/[\w-]+\.(?:js|css)$/;

/** GET /ui/*: the explorer. Its files are public; each request for data has the key of the person. */
export const explorer: Route = (app) => {
  app.register(async (ui) => {
    ui.addHook('onRoute', (route) => {
      route.config = { ...route.config, public: true };
      route.schema = { ...route.schema, hide: true };
    });
    // The router takes /ui/ for /ui.
    const paths = ['/ui', '/ui/*'];
    if (!existsSync(`${folder}index.html`)) {
      for (const path of paths)
        ui.get(path, () => {
          throw new AppError('ROUTE_NOT_FOUND', 'The explorer is not built: run npm run build.');
        });
      return;
    }
    await ui.register(files, { root: folder, prefix: '/ui/', cacheControl: false, serve: false });
    const send = (request: FastifyRequest<{ Params: { '*'?: string } }>, reply: FastifyReply) => {
      const path = request.params['*'] ?? '';
      const isAsset = asset.test(path) && existsSync(folder + path);
      for (const [name, value] of Object.entries(headers)) reply.header(name, value);
      reply.header('Cache-Control', isAsset ? 'public, max-age=31536000, immutable' : 'no-cache');
      return reply.sendFile(isAsset ? path : 'index.html');
    };
    for (const path of paths) ui.get(path, send);
  });
};
