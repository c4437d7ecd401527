import { type FetchPublic, publicRequest } from '../../lib/net/public-request.ts';

const timeoutMs = 5000;
const bytesMax = 64 * 1024;

/** Redirects of programs on the person's machine: a port of it, or a scheme of their own. */
function isNative(redirects: unknown): boolean {
  return Array.isArray(redirects) && redirects.some((uri) => !/^https:/i.test(String(uri)));
}

/**
 * Metadata of a client as this server keeps it: a program on the person's machine is `native`, also if it does
 * not say so; scopes are chosen by the person, so those that it names are left out; no client has a secret.
 */
export function toClientMetadata(metadata: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { scope: _scope, ...rest } = metadata;
  const { application_type: type, token_endpoint_auth_method: method } = rest;
  return {
    ...rest,
    application_type: type ?? (isNative(rest.redirect_uris) ? 'native' : 'web'),
    token_endpoint_auth_method: method === 'private_key_jwt' ? method : 'none',
  };
}

function toDocument(text: string): string {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed) || !('client_id' in parsed))
      return text;
    return JSON.stringify(toClientMetadata(parsed as Record<string, unknown>));
  } catch {
    // The library refuses it in the words of the protocol.
    return text;
  }
}

/** `fetch` for addresses that clients name: https, the public Internet alone, no redirect, 5 s, 64 KiB. */
export function documentFetch(ask: FetchPublic = publicRequest) {
  return async (address: string | URL): Promise<Response> => {
    const url = new URL(address);
    if (url.protocol !== 'https:') throw new Error('the address must be https');
    const headers = { accept: 'application/json', 'user-agent': 'memoryd' };
    const { status, body, isCut } = await ask({ method: 'GET', url, headers, timeoutMs, bytesMax });
    if (status !== 200 || isCut) return new Response(null, { status: 502 });
    return new Response(toDocument(body.toString('utf8')), { status: 200 });
  };
}
