import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Interaction, Provider } from 'oidc-provider';
import type { Authenticated, KeyService } from '../../domain/api-keys/key-service.ts';
import { oauthScopes } from '../../domain/oauth/oauth-tokens.ts';
import { AppError } from '../../domain/shared/errors.ts';
import type { RateLimits } from '../load/rate-limits.ts';
import { type ConsentRequest, consentPage, failurePage, pageHeaders } from './consent-page.ts';

export interface ConsentDeps {
  readonly provider: Provider;
  readonly keys: Pick<KeyService, 'authenticate' | 'authenticateThrottled'>;
  readonly limits: RateLimits;
}

interface Asked {
  readonly interaction: Interaction;
  readonly clientId: string;
  readonly page: ConsentRequest;
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

/** The request of a client; undefined if another browser began it, or it has expired. */
async function askedOf(
  { provider }: ConsentDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Asked | undefined> {
  let interaction: Interaction;
  try {
    interaction = await provider.interactionDetails(request.raw, reply.raw);
  } catch (error) {
    // The cookie of another consent, or of none: the person is told to begin again.
    if (error instanceof Error && error.name === 'SessionNotFound') return undefined;
    throw error;
  }
  const { params } = interaction;
  const clientId = textOf(params.client_id);
  const client = await provider.Client.find(clientId);
  if (!client) return undefined;
  const requested = textOf(params.scope).split(' ');
  const scopes = oauthScopes.filter((scope) => requested.includes(scope));
  const page = { clientName: client.clientName ?? clientId, redirect: textOf(params.redirect_uri), scopes };
  return { interaction, clientId, page };
}

function sendPage(reply: FastifyReply, status: number, html: string, redirect?: string): FastifyReply {
  return reply.code(status).headers(pageHeaders(redirect)).type('text/html; charset=utf-8').send(html);
}

const sendOver = (reply: FastifyReply) =>
  sendPage(reply, 400, failurePage('This page has expired, or was opened in another browser.'));

export async function showConsent(
  deps: ConsentDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const asked = await askedOf(deps, request, reply);
  if (!asked) return sendOver(reply);
  return sendPage(reply, 200, consentPage(asked.page), asked.page.redirect);
}

/** The key of the form. @throws 401 if it is not valid, 429 if the address tried too many */
async function authenticated(
  { keys, limits }: ConsentDeps,
  key: string,
  { ip }: FastifyRequest,
): Promise<Authenticated> {
  const found = await (limits.isThrottled(ip) ? keys.authenticateThrottled(key) : keys.authenticate(key));
  if (found) return found;
  limits.noteFailure(ip);
  throw new AppError('AUTHENTICATION_REQUIRED', 'This is not a valid API key.');
}

/** Stores the grant: the scopes that the person chose and the key has. @throws 403 if there are none */
async function grantOf(
  { provider }: ConsentDeps,
  { interaction, clientId, page }: Asked,
  { key }: Authenticated,
  chosen: readonly string[],
): Promise<string> {
  const scopes = page.scopes.filter((scope) => chosen.includes(scope) && key.scopes.includes(scope));
  if (scopes.length === 0)
    throw new AppError('SCOPE_REQUIRED', 'Choose at least one scope that this key has.');
  const grant = new provider.Grant({ accountId: key.id, clientId });
  const refused = page.scopes.filter((scope) => !scopes.some((granted) => granted === scope));
  for (const resource of [interaction.params.resource].flat()) {
    grant.addResourceScope(textOf(resource), scopes.join(' '));
    if (refused.length > 0) grant.rejectResourceScope(textOf(resource), refused.join(' '));
  }
  return grant.save();
}

const denied = { error: 'access_denied', error_description: 'The person did not allow it.' };

/** Reads the form: redirects to the client, or shows the form again with the error. */
export async function decideConsent(
  deps: ConsentDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const asked = await askedOf(deps, request, reply);
  if (!asked) return sendOver(reply);
  const form = new URLSearchParams(textOf(request.body));
  const finish = async (result: Readonly<Record<string, unknown>>) => {
    const options = { mergeWithLastSubmission: false };
    const next = await deps.provider.interactionResult(request.raw, reply.raw, result, options);
    return reply.header('Cache-Control', 'no-store').redirect(next, 303);
  };
  if (form.get('decision') !== 'allow') return finish(denied);
  try {
    const found = await authenticated(deps, (form.get('key') ?? '').trim(), request);
    const grantId = await grantOf(deps, asked, found, form.getAll('scope'));
    return await finish({ login: { accountId: found.key.id, remember: false }, consent: { grantId } });
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    // Not 401: browsers would ask for a password of their own.
    const status = error.status === 401 ? 403 : error.status;
    return sendPage(
      reply,
      status,
      consentPage({ ...asked.page, problem: error.message }),
      asked.page.redirect,
    );
  }
}
