import type { FastifyRequest } from 'fastify';
import { AppError } from '../../../domain/shared/errors.ts';
import { localName } from '../public/public.ts';

export interface OriginOptions {
  readonly host: string;
  readonly corsOrigins: readonly string[];
  readonly trustedProxies: readonly string[];
}

/** Host name in an origin or a `Host` header. */
function nameIn(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).hostname.toLowerCase() : undefined;
}

const refused = (header: string, given: string, setting: string) =>
  new AppError(
    'ADDRESS_REFUSED',
    `${header} ${JSON.stringify(given.slice(0, 200))} may not use /mcp. ${setting}`,
  );

/**
 * Refuses requests that a web page sends through the operator's browser, as the protocol requires: an
 * `Origin` neither of this machine nor in `MEMORYD_CORS_ORIGINS`; and, if the service listens on this
 * machine alone and trusts no proxy, a `Host` that is neither: a page can point its own name here.
 * @throws 403
 */
export function originCheck({ host, corsOrigins, trustedProxies }: OriginOptions) {
  const isAny = corsOrigins.includes('*');
  const origins = new Set(corsOrigins.map((origin) => origin.toLowerCase()));
  const names = new Set(corsOrigins.map(nameIn));
  const isLocal = (name: string | undefined) => name !== undefined && localName.test(name);
  const looksAtHost = localName.test(host.includes(':') ? `[${host}]` : host) && trustedProxies.length === 0;
  return ({ headers }: FastifyRequest): void => {
    if (isAny) return;
    const { origin, host: sent } = headers;
    if (origin !== undefined && !origins.has(origin.toLowerCase()) && !isLocal(nameIn(origin)))
      throw refused('Origin', origin, 'MEMORYD_CORS_ORIGINS names the origins of pages that may.');
    const name = nameIn(`http://${sent ?? ''}`);
    if (looksAtHost && sent !== undefined && !isLocal(name) && !names.has(name))
      throw refused('Host', sent, 'Behind a proxy set MEMORYD_TRUSTED_PROXIES to its address.');
  };
}
